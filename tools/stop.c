// SPDX-License-Identifier: BSD-3-Clause
// stop.c - SIGINT and SIGTERM. Rule: a handler does what is allowed in one: it sets a flag, cancels, unlinks
// and ends.
#include "stop.h"
#include "output.h"
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static volatile sig_atomic_t caught;
static ebb_extractor *_Atomic running;

static void on_signal(int number)
{
    ebb_extractor *x = atomic_load(&running);
    const bool first = !caught;
    caught = number;
    if (x && first) {
        ebb_extractor_cancel(x);
        return;
    }
    output_abandon_all();
    _exit(128 + number);
}

// A signal that was ignored when the program started (nohup, jobs in the background) stays so.
static void listen_to(int number)
{
    struct sigaction now;
    if (sigaction(number, NULL, &now) || now.sa_handler == SIG_IGN) return;
    sigaction(number, &(struct sigaction){.sa_handler = on_signal, .sa_flags = SA_RESTART}, NULL);
}

void stop_watch(ebb_extractor *x)
{
    atomic_store(&running, x);
    listen_to(SIGINT);
    listen_to(SIGTERM);
}

int stop_code(void) { return caught ? 128 + caught : 0; }
