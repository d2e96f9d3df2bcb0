// SPDX-License-Identifier: BSD-3-Clause
// nets.c - makes nets layer by layer. Rule: it knows no layer; a layer stands in the net when it loads and
// has sizes by itself, or, seldom, although it does not.
#include "nets.h"
#include "ebb_layer.h"
#include "fuzz.h"
#include "recipes.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 5, MOST_BYTES = 1 << 17, MOST_MACS = 1 << 20 };

// ------------------------------------------------------------------------------------------- choices

unsigned fuzz_pick(fuzz_choices *c, unsigned n)
{
    return c->at < c->bytes && n > 1 ? c->data[c->at++] % n : 0;
}

bool fuzz_chance(fuzz_choices *c, unsigned n) { return fuzz_pick(c, n) == n - 1; }

void fuzz_random(uint64_t seed, uint8_t *data, size_t bytes)
{
    uint64_t x = seed * 0x9e3779b97f4a7c15u + 1;
    for (size_t i = 0; i < bytes; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        data[i] = (uint8_t)(x >> 32);
    }
}

// ------------------------------------------------------------------------------------------- text

typedef struct writer {
    char *text;
    size_t used, room;
} writer;

static void put(writer *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(writer *w, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const int n = vsnprintf(w->text + w->used, w->room - w->used, fmt, ap);
    va_end(ap);
    if (n > 0) w->used = w->used + (size_t)n < w->room ? w->used + (size_t)n : w->room - 1;
}

static void put_input(writer *w, const ebb_desc *d, int blob)
{
    static const int key[5][4] = {{0}, {0}, {1, 0}, {2, 1, 0}, {2, 11, 1, 0}};
    put(w, "Input i%d 0 1 b%d", blob, blob);
    for (int i = 0; i < d->rank; i++) put(w, " %d=%d", key[d->rank][i], d->dim[i]);
    put(w, "\n");
}

static void put_layer(writer *w, const fuzz_layer *l, int nth)
{
    put(w, "%s l%d %d %d", l->type->name, nth, l->n_in, l->n_out);
    for (int i = 0; i < l->n_in; i++) put(w, " b%d", l->in[i]);
    for (int i = 0; i < l->n_out; i++) put(w, " b%d", l->out[i]);
    put(w, "%s\n", l->params);
}

static bool stood_before(const fuzz_layer *l, int i)
{
    for (int j = 0; j < i; j++)
        if (l->in[j] == l->in[i]) return true;
    return false;
}

void fuzz_write_layer(const fuzz_made *m, const fuzz_layer *l, char *text, size_t room)
{
    writer w = {text, 0, room};
    int inputs = 0;
    for (int i = 0; i < l->n_in; i++) inputs += !stood_before(l, i);
    put(&w, "7767517\n%d 0\n", inputs + 1);
    for (int i = 0; i < l->n_in; i++)
        if (!stood_before(l, i)) put_input(&w, &m->desc[l->in[i]], l->in[i]);
    put_layer(&w, l, 0);
}

static void write_net(fuzz_made *m)
{
    writer w = {m->text, 0, sizeof m->text};
    put(&w, "7767517\n%d 0\n", m->n_inputs + m->n_layers);
    for (int i = 0; i < m->n_blobs; i++)
        if (m->is_input[i]) put_input(&w, &m->desc[i], i);
    for (int i = 0; i < m->n_layers; i++) put_layer(&w, &m->layer[i], i);
}

// ------------------------------------------------------------------------------------------- sizes

typedef struct maker {
    fuzz_choices *c;
    fuzz_made *m;
    int letter[26];  // -1: still free
    fuzz_layer l;
    int kept_blobs, kept_inputs;  // before the layer that is being made
} maker;

static int any_size(fuzz_choices *c)
{
    static const signed char sizes[] = {3, 4, 1, 2, 5, 8, 3, 4, 7, 2, 6, 9, 16, 17, 33, 0};
    return sizes[fuzz_pick(c, sizeof sizes)];
}

static int letter(maker *k, char name)
{
    int *v = &k->letter[name - 'a'];
    if (*v < 0)
        *v = strchr("gr", name)    ? 1 + (int)fuzz_pick(k->c, 3)
             : strchr("kjl", name) ? 1 + (int)fuzz_pick(k->c, 4)
                                   : any_size(k->c);
    return *v;
}

// The product that ends at one of `ends`; *p is moved there.
static long product(maker *k, const char **p, const char *ends)
{
    long n = 1;
    while (**p && !strchr(ends, **p)) {
        long each;
        if (**p >= 'a' && **p <= 'z')
            each = letter(k, *(*p)++);
        else
            each = strtol(*p, (char **)p, 10);
        n = n > 100000 ? n : n * each;
    }
    return n;
}

// Does a blob of this shape fit what stands at p? Free letters that stand alone are bound by it.
static bool unify(maker *k, const ebb_desc *d, const char *p)
{
    int was[26];
    memcpy(was, k->letter, sizeof was);
    int axis = 0;
    bool fits = (*p == 'i') == (d->dtype == EBB_I32) && d->dtype != EBB_I8;
    if (p[0] == 'i' && p[1] == ':') p += 2;
    for (; fits && *p && *p != ' '; p += *p == ',') {
        const bool lone = *p >= 'a' && *p <= 'z' && !strchr("kjlgr", *p) && strchr(", ", p[1]);
        fits = axis < d->rank;
        if (fits && lone && k->letter[*p - 'a'] < 0)
            k->letter[*p++ - 'a'] = d->dim[axis];
        else if (fits)
            fits = product(k, &p, ", ") == d->dim[axis];
        axis++;
    }
    fits = fits && axis == d->rank;
    if (!fits) memcpy(k->letter, was, sizeof was);
    return fits;
}

// ------------------------------------------------------------------------------------------- inputs

static int new_blob(fuzz_made *m, const ebb_desc *d, bool input)
{
    if (m->n_blobs == NETS_BLOBS || (input && m->n_inputs == NETS_INPUTS)) return -1;
    m->desc[m->n_blobs] = *d;
    m->is_input[m->n_blobs] = input;
    m->is_read[m->n_blobs] = false;
    m->n_inputs += input;
    return m->n_blobs++;
}

static int input_as(maker *k, const char *p)
{
    int dim[EBB_MAX_RANK], rank = 0;
    const bool whole = p[0] == 'i' && p[1] == ':';
    for (p += whole ? 2 : 0; *p && *p != ' ' && rank < EBB_MAX_RANK; p += *p == ',')
        dim[rank++] = (int)product(k, &p, ", ");
    const ebb_desc d = ebb_desc_planar(whole ? EBB_I32 : EBB_F32, rank, dim);
    return new_blob(k->m, &d, true);
}

static int find_fitting(maker *k, const char *p)
{
    const int n = k->m->n_blobs, from = n ? n - 1 - (int)fuzz_pick(k->c, (unsigned)n) : 0;
    if (n == 0 || fuzz_chance(k->c, 6)) return -1;
    for (int i = 0; i < n; i++) {
        const int blob = (from + n - i) % n;
        if (unify(k, &k->m->desc[blob], p)) return blob;
    }
    return -1;
}

static bool take_inputs(maker *k, const char *in)
{
    for (const char *p = in; *p && k->l.n_in < NETS_PORTS;) {
        int blob = find_fitting(k, p);
        if (blob < 0) blob = input_as(k, p);
        if (blob < 0) return false;
        k->l.in[k->l.n_in++] = blob;
        p += strcspn(p, " ");
        p += *p == ' ';
    }
    return true;
}

// For types without a recipe: any blob, then those of its shape, else any.
static bool any_inputs(maker *k, int n)
{
    static const char *const shapes[] = {"c,h,w", "h,w", "w", "c,d,h,w", "c,1,1", "1,h,w"};
    while (k->l.n_in < n) {
        int blob = -1;
        const fuzz_made *m = k->m;
        if (k->l.n_in > 0 && !fuzz_chance(k->c, 4))
            blob = k->l.in[0];
        else if (m->n_blobs && !fuzz_chance(k->c, 6))
            blob = m->n_blobs - 1 - (int)fuzz_pick(k->c, (unsigned)m->n_blobs);
        if (blob < 0) blob = input_as(k, shapes[fuzz_pick(k->c, 6)]);
        if (blob < 0) return false;
        k->l.in[k->l.n_in++] = blob;
    }
    return true;
}

// ------------------------------------------------------------------------------------------- parameters

static bool has(const char *name, const char *part) { return strstr(name, part) != NULL; }

static int size_of_input(maker *k)
{
    if (!k->l.n_in) return any_size(k->c);
    const ebb_desc *d = &k->m->desc[k->l.in[0]];
    switch (fuzz_pick(k->c, 4)) {
    case 0: return d->rank ? d->dim[0] : 1;
    case 1: return d->rank ? d->dim[d->rank - 1] : 1;
    case 2: return 1;
    default: return (int)ebb_desc_count(d);
    }
}

static int a_whole(maker *k, const ebb_param *p)
{
    static const int few[] = {0, 1, 2, 1, 0, 3, -1, 4, 5, -2, -233, 8};
    static const int wild[] = {INT32_MAX, INT32_MIN, -1, 65536, 46341, 1 << 30, 0, -234};
    const char *s = p->name;
    const int rank = k->l.n_in ? k->m->desc[k->l.in[0]].rank : 3;
    if (fuzz_chance(k->c, 96)) return wild[fuzz_pick(k->c, 8)];
    if (has(s, "kernel")) return 1 + (int)fuzz_pick(k->c, 4);
    if (has(s, "stride") || has(s, "dilation") || has(s, "hop")) return 1 + (int)fuzz_pick(k->c, 3);
    if (has(s, "pad_") && fuzz_chance(k->c, 8)) return -233 - (int)fuzz_pick(k->c, 2);
    if (has(s, "pad_") || has(s, "offset")) return (int)fuzz_pick(k->c, 3);
    if (has(s, "axis") || has(s, "axes")) return (int)fuzz_pick(k->c, 2 * (unsigned)rank + 1) - rank;
    if (has(s, "size") || has(s, "channels") || has(s, "num_output")) return size_of_input(k);
    if ((p->min != 0 || p->max != 0) && p->max - p->min < 64)
        return (int)p->min + (int)fuzz_pick(k->c, (unsigned)(p->max - p->min) + 1);
    if (has(s, "activation")) return (int)fuzz_pick(k->c, 7);
    const int v = few[fuzz_pick(k->c, 12)];
    return v < p->min && (p->min != 0 || p->max != 0) ? (int)p->min : v;
}

static const char *a_float(maker *k)
{
    static const char *const few[] = {"1.0", "0.5",  "0.0",  "2.0", "-1.0",
                                      "0.1", "1e-3", "-0.5", "3.0", "0.25"};
    static const char *const wild[] = {"inf", "-inf", "nan", "1e30", "1e-30", "-1e9"};
    return fuzz_chance(k->c, 96) ? wild[fuzz_pick(k->c, 6)] : few[fuzz_pick(k->c, 10)];
}

static void put_row(maker *k, writer *w, const ebb_param *p)
{
    const bool list = p->type == EBB_P_INTS || p->type == EBB_P_FLOATS;
    const int n = list ? 1 + (int)fuzz_pick(k->c, 3) : 1;
    if (p->type == EBB_P_STRING) return;
    put(w, list ? " -%d=%d" : " %d=", list ? 23300 + p->id : p->id, n);
    for (int i = 0; i < n; i++) {
        if (list) put(w, ",");
        if (p->type == EBB_P_INT || p->type == EBB_P_INTS)
            put(w, "%d", a_whole(k, p));
        else
            put(w, "%s", a_float(k));
    }
}

// Writes the recipe's parameters; a row that they name is left to them.
static void put_recipe(maker *k, writer *w, const char *p)
{
    while (*p) {
        const size_t key = strcspn(p, "=") + 1;
        put(w, " %.*s", (int)key, p);
        for (p += key; *p && *p != ' '; p += *p == ',') {
            const size_t n = *p == '"' ? strcspn(p, " ") : strcspn(p, ", ");
            if (*p == '"' || *p == '-' || memchr(p, '.', n))
                put(w, "%.*s", (int)n, p), p += n;
            else
                put(w, "%ld", product(k, &p, ", "));
            if (*p == ',') put(w, ",");
        }
        p += *p == ' ';
    }
}

static bool names_key(const char *params, int id)
{
    char key[3][16];
    snprintf(key[0], sizeof key[0], "%d=", id);
    snprintf(key[1], sizeof key[1], " %d=", id);
    snprintf(key[2], sizeof key[2], "-%d=", 23300 + id);
    return !strncmp(params, key[0], strlen(key[0])) || strstr(params, key[1]) || strstr(params, key[2]);
}

static void put_params(maker *k, const char *recipe)
{
    writer w = {k->l.params, 0, sizeof k->l.params};
    k->l.params[0] = 0;
    const bool plain = recipe && !fuzz_chance(k->c, 3);
    put_recipe(k, &w, recipe ? recipe : "");
    for (const ebb_param *p = k->l.type->params; p && p->name; p++) {
        if (recipe && names_key(recipe, p->id)) continue;
        const bool must = p->type == EBB_P_INT && (p->min != 0 || p->max != 0) && p->def < p->min;
        if (must || (!plain && fuzz_pick(k->c, 3) == 1)) put_row(k, &w, p);
    }
    if (fuzz_chance(k->c, 64)) put(&w, " 31=%u", fuzz_pick(k->c, 256));
}

// ------------------------------------------------------------------------------------------- weights

// Weights of one layer as they are asked for: what is 4 bytes long gets a tag, and what follows is of that
// kind.
typedef struct weigher {
    fuzz_made *m;
    size_t at;
    unsigned kind, next;  // 0 f32, 1 f16, 2 i8; next: of the tensor behind a tag, 3: behind none
} weigher;

static bool give_weights(void *user, void *to, size_t bytes)
{
    static const unsigned char tag[3][4] = {{0}, {0x47, 0x6b, 0x30, 0x01}, {0x38, 0x4b, 0x0d, 0}};
    weigher *w = user;
    if (bytes > sizeof w->m->weights - w->at) return false;
    unsigned char *p = w->m->weights + w->at;
    for (size_t i = 0; i < bytes; i++) p[i] = (unsigned char)((w->at + i) * 37 % 251);
    if (bytes == 4) memcpy(p, tag[w->kind], 4);
    for (size_t i = 0; bytes != 4 && w->next % 3 == 0 && i + 4 <= bytes; i += 4) {
        const float v = (float)((w->at + i) / 4 * 37 % 129) / 128, signed_v = 2 * v - 1;
        memcpy(p + i, w->next ? &v : &signed_v, 4);
    }
    for (size_t i = 0; bytes != 4 && w->next == 1 && i + 2 <= bytes; i += 2)
        p[i + 1] = 0x30 | (p[i + 1] & 0x8b);
    w->next = bytes == 4 ? w->kind : 3;
    memcpy(to, p, bytes);
    w->at += bytes;
    return true;
}

// ------------------------------------------------------------------------------------------- trials

typedef struct trial {
    fuzz_made *m;
    fuzz_layer *l;
    const ebb_net *net;
    double macs;
} trial;

static void note(void *user, const ebb_event *ev)
{
    trial *t = user;
    if (ev->kind == EBB_EV_END) t->macs += ev->macs;
    const char *name = ev->desc && ev->blob >= 0 ? ebb_net_blob_name(t->net, ev->blob) : NULL;
    for (int i = 0; name && i < t->l->n_out; i++)
        if (ev->kind != EBB_EV_RELEASE && atoi(name + 1) == t->l->out[i])
            t->m->desc[t->l->out[i]] = ebb_desc_planar(ev->desc->dtype, ev->desc->rank, ev->desc->dim);
}

static bool sizes_fit(trial *t, ebb_net *net)
{
    ebb_error e;
    ebb_extractor *x;
    ebb_prediction p;
    char name[NETS_PORTS][8];
    const char *want[NETS_PORTS];
    t->net = net;
    if (!fuzz_ok(ebb_extractor_new(net, NULL, &x, &e), &e)) return false;
    bool good = true;
    for (int i = 0; good && i < t->l->n_in; i++) {
        snprintf(name[0], sizeof *name, "b%d", t->l->in[i]);
        good = fuzz_ok(ebb_extractor_expect(x, name[0], &t->m->desc[t->l->in[i]], &e), &e);
    }
    for (int i = 0; i < t->l->n_out; i++) {
        snprintf(name[i], sizeof *name, "b%d", t->l->out[i]);
        want[i] = name[i];
    }
    const ebb_observer watch = {note, t};
    good = good && fuzz_ok(ebb_extractor_predict(x, want, t->l->n_out, &watch, &p, &e), &e) &&
           p.blob_total < MOST_BYTES && p.scratch_peak < MOST_BYTES && t->macs < MOST_MACS;
    ebb_extractor_destroy(x);
    return good;
}

static bool try_layer(maker *k)
{
    static const fuzz_how how = {0};
    fuzz_layer *l = &k->l;
    char text[2 * NETS_LINE];
    ebb_error e;
    fuzz_write_layer(k->m, l, text, sizeof text);
    ebb_net *net = fuzz_new_net(&how);
    weigher w = {
        k->m, k->m->n_weights,
        strstr(l->params, " 8=") || strstr(l->params, " 18=") ? fuzz_pick(k->c, 3) : fuzz_chance(k->c, 4), 3};
    trial t = {k->m, l, net, 0};
    l->from = w.at;
    l->fits = fuzz_ok(ebb_net_load_param_mem(net, text, strlen(text), &e), &e) &&
              fuzz_ok(ebb_net_load_weights_reader(net, &(ebb_reader){give_weights, &w}, &e), &e) &&
              sizes_fit(&t, net);
    l->to = w.at;
    ebb_net_destroy(net);
    return l->fits;
}

// ------------------------------------------------------------------------------------------- layers

static bool make_outputs(maker *k, int n)
{
    const ebb_desc none = {.dtype = EBB_F32};
    for (int i = 0; i < n && i < NETS_PORTS; i++) {
        const int blob = new_blob(k->m, &none, false);
        if (blob < 0) return false;
        k->l.out[k->l.n_out++] = blob;
    }
    return true;
}

static int between(fuzz_choices *c, int least, int most)
{
    if (most < 0 || most > 4) most = least < 4 ? 4 : least;
    return least + (int)fuzz_pick(c, (unsigned)(most - least) + 1);
}

static const fuzz_recipe *find_recipe(maker *k)
{
    const fuzz_recipe *of[16];
    unsigned n = 0;
    for (size_t i = 0; i < sizeof fuzz_recipes / sizeof *fuzz_recipes; i++)
        if (!strcmp(fuzz_recipes[i].type, k->l.type->name) && n < 16) of[n++] = &fuzz_recipes[i];
    return n && !fuzz_chance(k->c, 12) ? of[fuzz_pick(k->c, n)] : NULL;
}

static bool propose(maker *k)
{
    unsigned types = 0;
    while (ebb_builtin_layer((int)types)) types++;
    k->l = (fuzz_layer){.type = ebb_builtin_layer((int)fuzz_pick(k->c, types))};
    memset(k->letter, -1, sizeof k->letter);
    const ebb_layer_type *t = k->l.type;
    if (t->flags & EBB_LAYER_INPUT) return false;
    const fuzz_recipe *r = find_recipe(k);
    if (!(r ? take_inputs(k, r->in) : any_inputs(k, between(k->c, t->in_min, t->in_max)))) return false;
    put_params(k, r ? r->params : NULL);
    return make_outputs(k, r && r->n_out ? r->n_out : between(k->c, t->out_min, r ? t->out_min : t->out_max));
}

// Back to what stood before an attempt.
static void forget(maker *k)
{
    k->m->n_blobs = k->kept_blobs;
    k->m->n_inputs = k->kept_inputs;
}

static bool add_layer(maker *k)
{
    fuzz_made *m = k->m;
    k->kept_blobs = m->n_blobs;
    k->kept_inputs = m->n_inputs;
    for (int i = 0; i < TRIES && k->c->at < k->c->bytes; i++) {
        const bool whole = propose(k);
        if (!whole || (!try_layer(k) && !fuzz_chance(k->c, 200))) {
            forget(k);
            continue;
        }
        for (int j = 0; j < k->l.n_in; j++) m->is_read[k->l.in[j]] = true;
        m->n_weights = k->l.to;
        m->layer[m->n_layers++] = k->l;
        return true;
    }
    return false;
}

bool fuzz_make_net(fuzz_choices *c, fuzz_made *m)
{
    memset(m, 0, sizeof *m);
    maker k = {.c = c, .m = m};
    const int layers = 1 + (int)fuzz_pick(c, NETS_LAYERS);
    for (int i = 0; i < layers; i++) add_layer(&k);
    write_net(m);
    return m->n_layers > 0;
}
