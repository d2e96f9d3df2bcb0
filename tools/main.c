// SPDX-License-Identifier: BSD-3-Clause
// main.c - the `ebb` program. Rule: it uses the library as any program would, through ebb.h.
#include "tool.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

static const struct command {
    const char *name;
    command_fn *run;
    const char *what;
} commands[] = {
    {"run", cmd_run, "one inference: inputs from files or a picture, results printed or written"},
    {"info", cmd_info, "what a model is made of: layers, shapes, work, weights, the memory it will take"},
    {"trace", cmd_trace, "which blob is born where, who frees it, and what the peak is made of"},
    {"check", cmd_check, "compare with files of right answers"},
    {"layers", cmd_layers, "the layer types and their parameters"},
};

static int print_help(FILE *to)
{
    fprintf(to, "ebb %s - neural networks in the least memory\n\n", ebb_version());
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        fprintf(to, "  ebb %-7s %s\n", commands[i].name, commands[i].what);
    fputs("\nFor example:\n"
          "  ebb info squeezenet.param\n"
          "  ebb run squeezenet.param --image data=cat.jpg --size 227x227 --mean 104,117,123 --top 5\n"
          "  ebb trace squeezenet.param\n"
          "\n`ebb COMMAND --help` shows more. Exit codes: 0 done; 1 a check failed; 2 wrong usage or any\n"
          "other trouble; 130 and 143 stopped by SIGINT and SIGTERM.\n",
          to);
    return to == stdout ? DONE : TROUBLE;
}

// A standard stream that was closed must not become the next file that is opened: it is one that refuses.
static void keep_standard_streams(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0) open("/dev/null", fd ? O_RDONLY : O_WRONLY);
}

static int run_command(int argc, char **argv)
{
    if (argc < 2) return print_help(stderr);
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
        return print_help(stdout);
    if (!strcmp(argv[1], "--version")) return printf("ebb %s\n", ebb_version()), DONE;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (!strcmp(argv[1], commands[i].name)) return commands[i].run(argc - 1, argv + 1);
    return trouble("no command '%s'; `ebb --help` lists them", argv[1]);
}

// A result that did not reach its reader is no result: all commands write through stdout, and it is asked
// once, here.
int main(int argc, char **argv)
{
    keep_standard_streams();
    const int code = run_command(argc, argv);
    const bool failed = ferror(stdout);
    if (!(fclose(stdout) | failed)) return code;
    return trouble("the output could not be written: the disk is full, or nobody takes it");
}
