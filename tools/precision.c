// SPDX-License-Identifier: BSD-3-Clause
// precision.c - which precision a session runs in. Rule: one that is asked for to save memory is taken only
// where the dry walk says that it saves some.
#include "precision.h"
#include "session.h"
#include <stdio.h>
#include <string.h>

bool precision_lowers(const ebb_prediction *f32, const ebb_prediction *other)
{
    return other->blob_peak < f32->blob_peak && other->joint_peak <= f32->joint_peak;
}

const char *precision_name(ebb_precision p)
{
    static const char *const name[] = {"f32", "f16", "bf16"};
    return name[p];
}

// What the line would take in this precision; *known: whether that can be told. False: it has told what is
// wrong.
static bool forecast(const session *of, const args *a, ebb_precision precision, ebb_prediction *p,
                     bool *known)
{
    ebb_error e;
    session s = {.dry = true, .made_up = of->made_up, .silent = true};
    const bool ok = session_load_in(&s, a, precision) && session_start(&s, a, (ebb_observer){0}) &&
                    session_outputs(&s, a) && session_inputs(&s, a);
    *known = ok && session_predict(&s, NULL, p, &e) == EBB_OK;
    session_close(&s);
    return ok;
}

bool session_load(session *s, const args *a)
{
    ebb_net_options opt = {0};
    ebb_prediction plain, wanted;
    bool known = true, too = true;
    char f32[24], other[24];
    if (!args_net(a, &opt)) return false;
    const char *name = precision_name(opt.precision);
    if (opt.precision != EBB_PRECISION_F32) {
        if (!forecast(s, a, EBB_PRECISION_F32, &plain, &known) ||
            !forecast(s, a, opt.precision, &wanted, &too))
            return false;
        if (known && too && !precision_lowers(&plain, &wanted)) {
            fprintf(stderr,
                    "ebb: note: in %s the peak of memory would be %s, in f32 it is %s: f32 is taken\n", name,
                    bytes_text(wanted.joint_peak, other), bytes_text(plain.joint_peak, f32));
            opt.precision = EBB_PRECISION_F32;
        }
    }
    return session_load_in(s, a, opt.precision);
}
