// SPDX-License-Identifier: BSD-3-Clause
// ebb_bench.c - how long nets take and how much memory they hold. Rule: a figure is a median of runs in one process,
// printed with its minimum, beside the peak that the dry walk predicted.
#include "ebb.h"
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char help[] =
    "ebb-bench - time and memory of nets\n"
    "\n"
    "usage: ebb-bench [options] MODEL.param [MODEL.bin] ...\n"
    "  A .param without a .bin behind it runs with pseudo-random weights; inputs are pseudo-random,\n"
    "  in the sizes that the file hints at, or that --shape says.\n"
    "\n"
    "examples\n"
    "  ebb-bench squeezenet.param squeezenet.bin       one net, one thread\n"
    "  ebb-bench -t 1,2 -n 20 *.param                  several nets, one and two threads, 20 runs each\n"
    "  ebb-bench --json -t 4 yolo.param > yolo.json    for machines\n"
    "\n"
    "options\n"
    "  -t, --threads LIST   thread counts, e.g. 1,2,4 (default 1)\n"
    "  -n, --runs N         counted runs, after one that warms up (default 10)\n"
    "  -i, --isa NAME       kernel table (default: the best this machine has)\n"
    "  -s, --shape SHAPE    of inputs without a size in the file, outermost first: 3x384x384\n"
    "  -d, --device NAME    cpu or vulkan (default cpu)\n"
    "  -p, --prefer NAME    small or fast (default small); nothing differs yet\n"
    "      --json           one JSON object a line\n"
    "\n"
    "columns: milliseconds of one forward pass (least, median); peak bytes of blobs as the run counted them, "
    "and\n"
    "whether the dry walk had said so; largest scratch; sum of all blobs; bytes held for weights.\n"
    "exit: 0 all ran, 1 a net failed, 2 wrong usage\n";

typedef struct settings {
    ebb_net_options net;
    int threads[16], n_threads;
    int runs;
    int rank, dim[EBB_MAX_RANK];  // of inputs without a hint
    bool json;
} settings;

typedef struct figures {
    double least, median;  // milliseconds
    ebb_prediction predicted;
    size_t peak, scratch, weights;
} figures;

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

// ------------------------------------------------------------------------------------------- made-up data

static float next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) / 0x1p24f;
}

// Weights for a graph without any: a tag is four bytes, and reads as "f32 follows" when it is zero.
static bool random_weights(void *user, void *to, size_t bytes)
{
    memset(to, 0, bytes);
    if (bytes % 4 || bytes == 4) return true;
    float *f = to;
    for (size_t i = 0; i < bytes / 4; i++) f[i] = (next_random(user) - 0.5f) * 0.2f;
    return true;
}

// By number, since a binary .param has no names.
static const char *name_of(int blob, char room[16])
{
    snprintf(room, 16, "#%d", blob);
    return room;
}

static ebb_status set_input(const settings *set, const ebb_net *net, ebb_extractor *x, int blob, bool dry,
                            ebb_error *e)
{
    char number[16];
    const char *name = name_of(blob, number);
    ebb_desc d = ebb_desc_planar(EBB_F32, set->rank, set->dim);
    if (!ebb_net_input_hint(net, blob, &d) && !set->rank) {
        *e = (ebb_error){.code = EBB_E_SHAPE};
        snprintf(e->msg, sizeof e->msg, "the file gives no size for input '%.64s': say --shape",
                 ebb_net_blob_name(net, blob));
        return e->code;
    }
    d = ebb_desc_pixel(EBB_F32, d.rank, d.dim);
    if (dry) return ebb_extractor_expect(x, name, &d, e);
    ebb_blob *b;
    ebb_status s = ebb_extractor_make(x, &d, &b, e);
    if (s != EBB_OK) return s;
    uint32_t seed = 1;
    float *f = ebb_blob_data(b);
    for (size_t k = 0; k < ebb_desc_count(&d); k++) f[k] = next_random(&seed);
    s = ebb_extractor_give(x, name, b, e);
    if (s != EBB_OK) ebb_blob_drop(b);
    return s;
}

enum { MOST = 64 };  // inputs or outputs of a net

static ebb_status set_inputs(const settings *set, const ebb_net *net, ebb_extractor *x, bool dry,
                             ebb_error *e)
{
    int blobs[MOST];
    const int n = ebb_net_inputs(net, blobs, MOST);
    ebb_status s = EBB_OK;
    for (int i = 0; i < n && i < MOST && s == EBB_OK; i++) s = set_input(set, net, x, blobs[i], dry, e);
    return s;
}

// ------------------------------------------------------------------------------------------- one net

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static ebb_status one_run(const settings *set, const ebb_net *net, ebb_extractor *x, const char *const *outs,
                          int n, double *ms, ebb_error *e)
{
    ebb_blob *b[MOST] = {NULL};
    ebb_extractor_reset(x);
    ebb_status s = set_inputs(set, net, x, false, e);
    if (s != EBB_OK) return s;
    const double start = now_ms();
    s = ebb_extractor_extract_many(x, outs, n, EBB_TAKE_AS_IS, b, e);
    *ms = now_ms() - start;
    for (int i = 0; i < n; i++) ebb_blob_drop(b[i]);
    return s;
}

static ebb_status measure(const settings *set, const ebb_net *net, ebb_extractor *x, figures *f, ebb_error *e)
{
    const int runs = set->runs;
    int blobs[MOST];
    char numbers[MOST][16];
    const char *outs[MOST];
    int n = ebb_net_outputs(net, blobs, MOST);
    if (n > MOST) n = MOST;
    for (int i = 0; i < n; i++) outs[i] = name_of(blobs[i], numbers[i]);
    double *ms = calloc((size_t)runs + 1, sizeof *ms);
    if (!ms) {
        *e = (ebb_error){.code = EBB_E_NOMEM, .msg = "no memory for the times of the runs"};
        return e->code;
    }
    ebb_status s = set_inputs(set, net, x, true, e);
    if (s == EBB_OK) s = ebb_extractor_predict(x, outs, n, NULL, &f->predicted, e);
    for (int i = 0; i <= runs && s == EBB_OK; i++) s = one_run(set, net, x, outs, n, &ms[i], e);
    qsort(ms + 1, (size_t)runs, sizeof *ms, by_value);
    f->least = ms[1];
    f->median = ms[1 + runs / 2];
    free(ms);
    ebb_mem_count m[EBB_MEM_KINDS];
    ebb_extractor_memory(x, m);
    f->peak = m[EBB_MEM_BLOB].peak;
    f->scratch = m[EBB_MEM_SCRATCH].peak;
    ebb_net_memory(net, m);
    f->weights = m[EBB_MEM_WEIGHT].live;
    return s;
}

static void print_json_text(const char *s)
{
    putchar('"');
    for (; *s; s++) {
        if (*s == '"' || *s == '\\') putchar('\\');
        if ((unsigned char)*s >= 32) putchar(*s);
    }
    putchar('"');
}

static void print_json(const ebb_net *net, const char *name, int threads, const figures *f)
{
    fputs("{\"net\":", stdout);
    print_json_text(name);
    printf(",\"isa\":\"%s\",\"device\":", ebb_net_isa(net));
    print_json_text(ebb_net_device(net));
    printf(",\"threads\":%d,\"min_ms\":%.3f,\"median_ms\":%.3f,\"peak\":%zu,\"predicted\":%zu,\"exact\":%s,"
           "\"scratch\":%zu,"
           "\"sum\":%zu,\"weights\":%zu}\n",
           threads, f->least, f->median, f->peak, f->predicted.blob_peak,
           f->predicted.exact ? "true" : "false", f->scratch, f->predicted.blob_total, f->weights);
    fflush(stdout);
}

static void print_row(const ebb_net *net, const char *name, int threads, const figures *f)
{
    const char *exact = !f->predicted.exact ? "bound" : f->predicted.blob_peak == f->peak ? "yes" : "NO";
    const double mib = 1024.0 * 1024.0;
    printf("%-28.28s %-7s %2d %9.2f %9.2f %10.3f  %-5s %10.3f %10.3f %10.3f\n", name, ebb_net_isa(net),
           threads, f->least, f->median, (double)f->peak / mib, exact, (double)f->scratch / mib,
           (double)f->predicted.blob_total / mib, (double)f->weights / mib);
    fflush(stdout);
}

static const char *stem_of(const char *path, char *stem, size_t room)
{
    const char *slash = strrchr(path, '/');
    snprintf(stem, room, "%s", slash ? slash + 1 : path);
    char *dot = strstr(stem, ".param");
    if (dot) *dot = 0;
    return stem;
}

static ebb_status run_all_threads(const settings *set, ebb_net *net, const char *param, ebb_error *e)
{
    char stem[128];
    stem_of(param, stem, sizeof stem);
    for (int i = 0; i < set->n_threads; i++) {
        ebb_extractor *x;
        figures f = {0};
        ebb_status s = ebb_extractor_new(net, &(ebb_extractor_options){.threads = set->threads[i]}, &x, e);
        if (s != EBB_OK) return s;
        s = measure(set, net, x, &f, e);
        if (s == EBB_OK) (set->json ? print_json : print_row)(net, stem, set->threads[i], &f);
        ebb_extractor_destroy(x);
        if (s != EBB_OK) return s;
    }
    return EBB_OK;
}

static ebb_status bench(const settings *set, const char *param, const char *bin, ebb_error *e)
{
    ebb_net *net;
    ebb_status s = ebb_net_new(&set->net, &net, e);
    if (s != EBB_OK) return s;
    uint32_t seed = 7;
    s = ebb_net_load_param(net, param, e);
    if (s == EBB_OK)
        s = bin ? ebb_net_load_weights(net, bin, e)
                : ebb_net_load_weights_reader(net, &(ebb_reader){random_weights, &seed}, e);
    if (s == EBB_OK) s = run_all_threads(set, net, param, e);
    ebb_net_destroy(net);
    return s;
}

// ------------------------------------------------------------------------------------------- the command line

// Whole numbers from 1 to most, at most `room` of them with a separator between; returns how many, 0 where it is
// something else.
static int read_numbers(const char *text, char separator, int most, int *number, int room)
{
    for (int n = 0; n < room; text++) {
        char *end;
        const long v = strtol(text, &end, 10);
        if (*text < '0' || *text > '9' || v < 1 || v > most) return 0;
        number[n++] = (int)v;
        if (*end == 0) return n;
        if (*end != separator) return 0;
        text = end;
    }
    return 0;
}

// Figures that did not reach their reader are none.
static int finish(int code)
{
    const bool failed = ferror(stdout);
    if (!(fclose(stdout) | failed)) return code;
    fputs("ebb-bench: the output could not be written: the disk is full, or nobody takes it\n", stderr);
    return 2;
}

static bool read_option(settings *set, int c, char *value)
{
    switch (c) {
    case 't': return (set->n_threads = read_numbers(value, ',', 1023, set->threads, 16)) > 0;
    case 'n': return read_numbers(value, ',', 100000, &set->runs, 1) == 1;
    case 's': return (set->rank = read_numbers(value, 'x', 1 << 20, set->dim, EBB_MAX_RANK)) > 0;
    case 'i': set->net.isa = value; return true;
    case 'd': set->net.device = !strcmp(value, "vulkan") ? EBB_DEVICE_VULKAN : EBB_DEVICE_CPU;
              return !strcmp(value, "cpu") || !strcmp(value, "vulkan");
    case 'p': set->net.prefer = !strcmp(value, "fast") ? EBB_PREFER_FAST : EBB_PREFER_SMALL;
              return !strcmp(value, "small") || !strcmp(value, "fast");
    default: set->json = true; return true;
    }
}

static bool read_options(settings *set, int argc, char **argv)
{
    static const struct option rows[] = {
        {"threads", 1, NULL, 't'}, {"runs", 1, NULL, 'n'},   {"isa", 1, NULL, 'i'},
        {"device", 1, NULL, 'd'},  {"prefer", 1, NULL, 'p'}, {"shape", 1, NULL, 's'},
        {"json", 0, NULL, 'j'},    {"help", 0, NULL, 'h'},   {0}};
    *set = (settings){.threads = {1}, .n_threads = 1, .runs = 10};
    for (int c; (c = getopt_long(argc, argv, "t:n:i:d:p:s:h", rows, NULL)) >= 0;) {
        if (c == 'h') {
            fputs(help, stdout);
            exit(finish(0));
        }
        if (c == '?') return false;
        if (read_option(set, c, optarg)) continue;
        fprintf(stderr, "ebb-bench: option -%c cannot be '%s'\n", c, optarg);
        return false;
    }
    return true;
}

static bool is_bin(const char *path)
{
    const size_t n = strlen(path);
    return n > 4 && !strcmp(path + n - 4, ".bin") && !strstr(path, ".param.bin");
}

int main(int argc, char **argv)
{
    settings set;
    if (!read_options(&set, argc, argv) || optind == argc) {
        fputs("ebb-bench: name at least one .param file; `ebb-bench --help` shows how\n", stderr);
        return 2;
    }
    if (!set.json)
        printf("%-28s %-7s %2s %9s %9s %10s  %-5s %10s %10s %10s\n", "net", "isa", "t", "min ms", "median ms",
               "peak MiB", "exact", "scratch", "sum", "weights");
    bool all = true;
    for (int i = optind; i < argc; i++) {
        const char *bin = i + 1 < argc && is_bin(argv[i + 1]) ? argv[i + 1] : NULL;
        ebb_error e = {0};
        if (bench(&set, argv[i], bin, &e) != EBB_OK) {
            fprintf(stderr, "ebb-bench: %s: %s\n", argv[i], e.msg);
            all = false;
        }
        i += bin != NULL;
    }
    return finish(all ? 0 : 1);
}
