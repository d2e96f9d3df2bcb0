// SPDX-License-Identifier: BSD-3-Clause
// device_test.c - what net and interpreter do with a device, on one that is made of host memory: it runs on
// every machine. Storages on it have no data pointer, so nobody can read them by mistake.
#include "device.h"
#include "net.h"
#include "small_layers.h"
#include "vk/vk.h"
#include <stdlib.h>
#include <string.h>

struct ebb_vk {
    int open, prepared, cleared, cmds, storages, resets;
    bool broken;  // uploads and downloads fail
};

struct ebb_vk_cmd {
    ebb_vk *vk;
    bool pending;
};

static ebb_vk fake;

static void fake_close(ebb_vk *vk) { vk->open--; }
static const char *fake_name(const ebb_vk *vk) { return (void)vk, "fake"; }
static void fake_clear(ebb_vk *vk) { vk->cleared++, vk->prepared = 0; }

static ebb_status fake_cmd_new(ebb_vk *vk, ebb_vk_cmd **cmd, ebb_error *e)
{
    (void)e;
    *cmd = calloc(1, sizeof **cmd);
    (*cmd)->vk = vk;
    vk->cmds++;
    return EBB_OK;
}
static void fake_cmd_reset(ebb_vk_cmd *cmd) { cmd->pending = false, cmd->vk->resets++; }
static void fake_cmd_free(ebb_vk_cmd *cmd)
{
    ck_assert_int_eq(cmd->vk->storages, 0);
    cmd->vk->cmds--;
    free(cmd);
}

static void drop(void *user, ebb_storage *m)
{
    (void)m;
    free(user);
    fake.storages--;
}

static ebb_status fake_storage_new(ebb_vk_cmd *cmd, ebb_heap *s, size_t bytes, ebb_storage **m, ebb_error *e)
{
    (void)cmd;
    void *p = malloc(bytes + 1);
    *m = ebb_storage_around(s, NULL, bytes, true, drop, p);
    if (!*m) {
        free(p);
        return ebb_fail(e, EBB_E_NOMEM, "no memory");
    }
    (*m)->on = EBB_ON_DEVICE;
    fake.storages++;
    return EBB_OK;
}

static ebb_status fake_upload(ebb_vk_cmd *cmd, ebb_storage *to, const void *from, size_t bytes, ebb_error *e)
{
    if (cmd->vk->broken) return ebb_fail(e, EBB_E_DEVICE, "the test wants it so");
    ck_assert_uint_le(bytes, to->bytes);
    memcpy(to->user, from, bytes);
    cmd->pending = true;
    return EBB_OK;
}

static ebb_status fake_download(ebb_vk_cmd *cmd, void *to, const ebb_storage *from, size_t offset,
                                size_t bytes, ebb_error *e)
{
    if (cmd->vk->broken) return ebb_fail(e, EBB_E_DEVICE, "the test wants it so");
    ck_assert_uint_le(offset + bytes, from->bytes);
    memcpy(to, (const char *)from->user + offset, bytes);
    cmd->pending = false;
    return EBB_OK;
}

static bool fake_pending(const ebb_vk_cmd *cmd) { return cmd->pending; }

static ebb_status answer;  // of prepare

static bool takes(const ebb_vk *vk, const ebb_vk_op *op, const void *st)
{
    (void)vk, (void)op, (void)st;
    return answer != EBB_E_UNSUPPORTED;
}

static ebb_status prepare(ebb_vk *vk, const ebb_vk_op *op, const void *st, void **dev_state, ebb_error *e)
{
    (void)op, (void)st;
    if (answer != EBB_OK) return ebb_fail(e, answer, "the test wants it so");
    vk->prepared++;
    *dev_state = vk;
    return EBB_OK;
}

static void fake_plan(const ebb_plan_in *in, ebb_plan *plan) { (void)in, (void)plan; }

// y = 2 x
static ebb_status record(ebb_vk_cmd *cmd, const ebb_vk_op *op, const void *st, const void *dev_state,
                         const ebb_shape_in *n, const ebb_blob *const *in, ebb_blob *const *out, ebb_error *e)
{
    (void)op, (void)st, (void)n, (void)e;
    ck_assert_ptr_eq(dev_state, &fake);
    ck_assert_int_eq(in[0]->mem->on, EBB_ON_DEVICE);
    ck_assert_int_eq(out[0]->mem->on, EBB_ON_DEVICE);
    ck_assert_ptr_null(ebb_blob_data(out[0]));
    for (size_t i = 0; i < ebb_desc_count(&in[0]->desc); i++)
        ((float *)out[0]->mem->user)[out[0]->offset + (ptrdiff_t)i] =
            2 * ((float *)in[0]->mem->user)[in[0]->offset + (ptrdiff_t)i];
    cmd->pending = true;
    return EBB_OK;
}

static const ebb_device_ops fake_ops = {
    .close = fake_close,
    .name = fake_name,
    .takes = takes,
    .prepare = prepare,
    .plan = fake_plan,
    .record = record,
    .clear = fake_clear,
    .cmd_new = fake_cmd_new,
    .cmd_reset = fake_cmd_reset,
    .cmd_free = fake_cmd_free,
    .storage_new = fake_storage_new,
    .upload = fake_upload,
    .download = fake_download,
    .pending = fake_pending,
};

// ------------------------------------------------------------------------------------------- a layer

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)st, (void)c, (void)e;
    for (size_t i = 0; i < ebb_desc_count(ebb_blob_desc(in[0])); i++)
        ebb_f32(out[0])[i] = 2 * ebb_f32(in[0])[i];
    return EBB_OK;
}

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    (void)st, (void)e;
    out[0].rank = in->in[0].rank;
    memcpy(out[0].dim, in->in[0].dim, sizeof out[0].dim);
    return EBB_OK;
}

static const ebb_vk_op op;

static const ebb_layer_type twice = {
    .size = sizeof(ebb_layer_type),
    .name = "Twice",
    .in_min = 1,
    .in_max = 1,
    .out_min = 1,
    .out_max = 1,
    .shape = shape,
    .cpu = cpu,
    .vk = &op,
};

// ------------------------------------------------------------------------------------------- nets

static ebb_status on_fake(const ebb_allocator *a, ebb_net **net, ebb_error *e)
{
    EBB_TRY(ebb_net_new(&(ebb_net_options){.allocator = *a}, net, e));
    fake = (ebb_vk){.open = 1};
    (*net)->dev = &fake_ops;
    (*net)->vk = &fake;
    return ebb_net_add_layer(*net, small_layers[0], e);
}

static ebb_net *fake_net(const char *layers)
{
    return walk_net_made(on_fake, layers, NULL, 0, (const ebb_layer_type *const[]){&twice, NULL});
}

static void fake_net_end(ebb_net *net)
{
    walk_net_end(net);
    ck_assert_int_eq(fake.open, 0);
    ck_assert_int_eq(fake.cmds, 0);
    ck_assert_int_eq(fake.storages, 0);
    ck_assert_int_gt(fake.cleared, 0);
}

#define ALTERNATING "Input in 0 1 x\nTwice t1 1 1 x a\nTwice t2 1 1 a b\nFork f 1 1 b c\nTwice t3 1 1 c y\n"

START_TEST(blobs_move_and_go)
{
    static walk_text t;
    ebb_net *net = fake_net(ALTERNATING);
    ck_assert_str_eq(ebb_net_device(net), "fake");
    ck_assert_int_eq(fake.prepared, 3);
    ebb_extractor *x = open_on(net, &(ebb_extractor_options){.observer = walk_text_observer(&t, net)});
    ck_assert_int_eq(ebb_extractor_declare(x, ONE("y"), 1, NULL), EBB_OK);
    const ebb_desc d = vec(5);
    give(x, "x", &d, 10);
    walk_text_clear(&t);
    ck_assert_float_eq(first_of(x, "y"), 82);
    ck_assert_str_eq(
        t.text, "move x replaced 20 40\nrelease x 20 20\nalloc a 20 40\nread x 0\nrelease x 20 20\n"
                "alloc b 20 40\nread a 0\nrelease a 20 20\n"
                "submit\nmove b replaced 20 40\nrelease b 20 20\nalloc c 20 40\nread b 0\nrelease b 20 20\n"
                "move c replaced 20 40\nrelease c 20 20\nalloc y 20 40\nread c 0\nrelease c 20 20\n"
                "submit\nmove y replaced 20 40\nrelease y 20 20\nread y 0\nrelease y 20 0\n");
    const int resets = fake.resets;
    ebb_extractor_reset(x);
    ck_assert_int_eq(fake.resets, resets + 1);
    ebb_extractor_destroy(x);
    fake_net_end(net);
}
END_TEST

// The dry walk knows the moves: what it predicts comes true.
START_TEST(moves_are_predicted)
{
    static walk_text dry, real;
    ebb_net *net = fake_net(ALTERNATING);
    ebb_extractor *x = open_on(net, &(ebb_extractor_options){.observer = walk_text_observer(&real, net)});
    const ebb_desc d = vec(5);
    give(x, "x", &d, 1);
    walk_text_clear(&real);
    const ebb_observer watch = walk_text_observer(&dry, net);
    ebb_prediction p;
    ebb_blob *b;
    ck_assert_int_eq(ebb_extractor_predict(x, ONE("y"), 1, &watch, &p, NULL), EBB_OK);
    ck_assert_int_eq(ebb_extractor_extract_many(x, ONE("y"), 1, EBB_TAKE_AS_IS, &b, NULL), EBB_OK);
    ck_assert_ptr_nonnull(ebb_blob_data(b));  // also as it is: on the host
    ebb_blob_drop(b);
    char *logical = real.text;
    for (char *at; (at = strstr(logical, "submit\n"));) memmove(at, at + 7, strlen(at + 7) + 1);
    ck_assert_str_eq(dry.text, real.text);
    ck_assert_uint_eq(p.blob_peak, 40);
    ebb_extractor_destroy(x);
    fake_net_end(net);
}
END_TEST

START_TEST(unsupported_runs_on_the_cpu)
{
    answer = EBB_E_UNSUPPORTED;
    ebb_net *net = fake_net(ALTERNATING);
    ebb_extractor *x = open_on(net, NULL);
    const ebb_desc d = vec(5);
    give(x, "x", &d, 10);
    ck_assert_float_eq(first_of(x, "y"), 82);
    ck_assert_int_eq(fake.cmds, 0);
    ebb_extractor_destroy(x);
    fake_net_end(net);
}
END_TEST

START_TEST(feature_bit_keeps_a_layer_on_the_cpu)
{
    ebb_net *net = fake_net("Input in 0 1 x\nTwice t1 1 1 x a 31=16\nTwice t2 1 1 a y\n");
    ck_assert_int_eq(fake.prepared, 1);
    ck_assert(!net->g.nodes[1].on_device && net->g.nodes[2].on_device);
    ebb_extractor *x = open_on(net, NULL);
    const ebb_desc d = vec(5);
    give(x, "x", &d, 10);
    ck_assert_float_eq(first_of(x, "y"), 40);
    ebb_extractor_destroy(x);
    ebb_net_clear(net);
    ck_assert_int_eq(fake.prepared, 0);
    fake_net_end(net);
}
END_TEST

START_TEST(a_device_that_fails_fails_the_load)
{
    answer = EBB_E_DEVICE;
    static const char text[] = "7767517\n2 2\nInput in 0 1 x\nTwice t1 1 1 x y\n";
    ebb_error e = {0};
    ebb_net *net;
    ck_assert_int_eq(on_fake(&(ebb_allocator){0}, &net, NULL), EBB_OK);
    ck_assert_int_eq(ebb_net_add_layer(net, &twice, NULL), EBB_OK);
    ck_assert_int_eq(ebb_net_load_param_mem(net, text, strlen(text), NULL), EBB_OK);
    ck_assert_int_eq(ebb_net_load_weights_mem(net, "", 0, &e), EBB_E_DEVICE);
    ck_assert_msg(!strcmp(e.msg, "layer 1 't1' (Twice): the test wants it so"), "%s", e.msg);
    ebb_net_destroy(net);
    ck_assert_int_eq(fake.open, 0);
}
END_TEST

// Nothing stays behind of a move that fails, nor of the conversion before it.
START_TEST(a_move_that_fails_is_a_status)
{
    ebb_net *net = fake_net(ALTERNATING);
    const ebb_desc d = vec(5), columns = {EBB_F32, 2, {2, 3}, {1, 2}};
    for (int i = 0; i < 3; i++) {
        ebb_extractor *x = open_on(net, NULL);
        ebb_blob *b = NULL;
        ebb_error e = {0};
        fake.broken = i < 2;
        if (i == 1)
            ck_assert_int_eq(ebb_extractor_copy(x, "x", &columns, (float[6]){0}, NULL), EBB_OK);
        else
            give(x, "x", &d, 10);
        if (i == 2) ck_assert_int_eq(ebb_extractor_extract(x, "a", EBB_TAKE_PLANAR, &b, NULL), EBB_OK);
        ebb_blob_drop(b);
        fake.broken = true;
        ck_assert_int_eq(ebb_extractor_extract(x, "y", EBB_TAKE_PLANAR, &b, &e), EBB_E_DEVICE);
        ck_assert_msg(strstr(e.msg, "the test wants it so") != NULL, "%s", e.msg);
        ebb_extractor_destroy(x);
    }
    fake_net_end(net);
}
END_TEST

// Converted on the host, then moved: both copies are for the one read, the caller's blob stays for the next.
START_TEST(a_blob_that_is_converted_and_moved_stays)
{
    ebb_net *net = fake_net("Input in 0 1 x\nTwice t 1 1 x a\nFork f 1 1 x c\n");
    ebb_extractor *x = open_on(net, NULL);
    const ebb_desc columns = {EBB_F32, 2, {2, 3}, {1, 2}};
    const float data[] = {1, 2, 3, 4, 5, 6};
    ebb_mem_count m[EBB_MEM_KINDS];
    ebb_blob *b;
    ck_assert_int_eq(ebb_extractor_borrow(x, "x", &columns, data, NULL), EBB_OK);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(ebb_extractor_extract(x, i ? "c" : "a", EBB_TAKE_PLANAR, &b, NULL), EBB_OK);
        for (int k = 0; k < 6; k++)
            ck_assert_float_eq(ebb_f32(b)[k], i ? data[k % 3 * 2 + k / 3] + 1 : 2 * data[k % 3 * 2 + k / 3]);
        ebb_blob_drop(b);
        ebb_extractor_memory(x, m);
        ck_assert_uint_eq(m[EBB_MEM_BLOB].live, 24 * ((size_t)i + 1));
    }
    ebb_extractor_destroy(x);
    fake_net_end(net);
}
END_TEST

START_TEST(no_memory_is_a_status)
{
    ebb_net *net = fake_net(ALTERNATING);
    bool done = false;
    for (int call = 1; !done; call++) {
        ebb_extractor *x = open_on(net, NULL);
        const ebb_desc d = vec(5);
        give(x, "x", &d, 10);
        ebb_blob *b = NULL;
        walk_fail_at(call);
        const ebb_status s = ebb_extractor_extract(x, "y", EBB_TAKE_PLANAR, &b, NULL);
        walk_fail_at(0);
        ck_assert(s == EBB_OK || s == EBB_E_NOMEM);
        done = s == EBB_OK;
        ebb_blob_drop(b);
        ebb_extractor_destroy(x);
    }
    fake_net_end(net);
}
END_TEST

int main(void)
{
    const test_entry tests[] = {
        {"blobs_move_and_go", blobs_move_and_go},
        {"moves_are_predicted", moves_are_predicted},
        {"unsupported_runs_on_the_cpu", unsupported_runs_on_the_cpu},
        {"feature_bit_keeps_a_layer_on_the_cpu", feature_bit_keeps_a_layer_on_the_cpu},
        {"a_device_that_fails_fails_the_load", a_device_that_fails_fails_the_load},
        {"a_move_that_fails_is_a_status", a_move_that_fails_is_a_status},
        {"a_blob_that_is_converted_and_moved_stays", a_blob_that_is_converted_and_moved_stays},
        {"no_memory_is_a_status", no_memory_is_a_status},
        {0},
    };
    return run_tests("device", tests);
}
