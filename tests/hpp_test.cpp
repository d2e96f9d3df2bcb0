// SPDX-License-Identifier: BSD-3-Clause
// hpp_test.cpp - the C++ face: handles move, errors are thrown and leave everything usable, values come out whole.
#include "ebb.hpp"
extern "C" {
#include "harness.h"
}
#include <cstring>

static_assert(!std::is_copy_constructible_v<ebb::net> && std::is_nothrow_move_constructible_v<ebb::net>);
static_assert(!std::is_copy_constructible_v<ebb::blob> && std::is_nothrow_move_assignable_v<ebb::blob>);
static_assert(!std::is_copy_constructible_v<ebb::extractor> &&
              std::is_nothrow_move_constructible_v<ebb::extractor>);
static_assert(std::is_nothrow_move_constructible_v<ebb::pool>);

static const char model[] = "7767517\n3 3\n"
                            "Input data 0 1 data\n"
                            "ReLU relu 1 1 data out\n"
                            "UnaryOp abs 1 1 data b 0=0\n";

static ebb::net loaded()
{
    ebb::net n;
    n.load_param_mem(model);
    n.load_weights_mem("", 0);
    return n;
}

// What f throws; fails when it throws nothing.
template <class F> static ebb::error thrown(F f)
{
    try {
        f();
    } catch (const ebb::error &e) {
        return e;
    }
    ck_abort_msg("nothing was thrown");
}

START_TEST(inference)
{
    const ebb::net n = loaded();
    ck_assert(n.inputs() == ebb::names{"data"});
    ck_assert((n.outputs() == ebb::names{"out", "b"}));
    ebb::extractor x(n);
    const float in[] = {-1, 2, -3, 4, 5, -6};
    x.borrow("data", ebb::planar(EBB_F32, {1, 2, 3}), in);
    ck_assert_uint_eq(x.predict({"out"}).blob_peak, sizeof in);
    const ebb::blob out = x.extract("out");
    ck_assert_int_eq(out.desc().rank, 3);
    ck_assert((out.values<float>() == std::vector<float>{0, 2, 0, 4, 5, 0}));
    ck_assert_uint_gt(x.memory()[EBB_MEM_BLOB].peak, 0);
    ck_assert_uint_gt(n.memory()[EBB_MEM_META].live, 0);
}
END_TEST

START_TEST(several_outputs)
{
    const ebb::net n = loaded();
    ebb_extractor_options options = {};
    const ebb::pool threads(2);
    options.pool = threads.get();
    options.threads = 2;
    ebb::extractor x(n, options);
    const float in[] = {-1, 1};
    x.declare({"b", "out"});
    x.copy("data", ebb::planar(EBB_F32, {2}), in);
    const std::vector<ebb::blob> both = x.extract_many({"b", "out"});
    ck_assert((both[0].values<float>() == std::vector<float>{1, 1}));
    ck_assert((both[1].values<float>() == std::vector<float>{0, 1}));
}
END_TEST

START_TEST(values_follow_the_strides)
{
    const ebb::net n = loaded();
    ebb::extractor x(n);
    ebb::blob b = x.make_blob(ebb::pixel(EBB_F32, {2, 1, 3}));
    const float interleaved[] = {1, 10, 2, 20, 3, 30};
    std::memcpy(b.data(), interleaved, sizeof interleaved);
    ck_assert((b.values<float>() == std::vector<float>{1, 2, 3, 10, 20, 30}));
    ck_assert(x.make_blob(ebb::planar(EBB_F32, {4, 0})).values<float>().empty());
    const ebb::error e = thrown([&] { b.values<std::int32_t>(); });  // what() lives as long as it
    ck_assert_str_eq(e.what(), "the blob holds f32");
    ck_assert_int_eq(thrown([] { ebb::planar(EBB_F32, {1, 1, 1, 1, 1}); }).code(), EBB_E_SHAPE);
}
END_TEST

START_TEST(giving)
{
    const ebb::net n = loaded();
    ebb::extractor x(n);
    ebb::blob b = x.make_blob(ebb::planar(EBB_F32, {1}));
    *static_cast<float *>(b.data()) = 7;
    ck_assert_int_eq(thrown([&] { x.give("dota", std::move(b)); }).code(), EBB_E_NAME);
    ck_assert(bool(b));
    const ebb::blob second = b.share();
    x.give("data", std::move(b));
    ck_assert(!b);
    ck_assert_float_eq(x.extract("out").values<float>()[0], 7);
    ck_assert_float_eq(second.values<float>()[0], 7);
}
END_TEST

START_TEST(errors_are_sentences)
{
    ebb::net n;
    const ebb::error e = thrown([&] { n.load("/nonexistent.param", "/nonexistent.bin"); });
    ck_assert_int_eq(e.code(), EBB_E_IO);
    ck_assert_ptr_nonnull(std::strstr(e.what(), "/nonexistent.param"));
    ebb_net_options options = {};
    options.isa = "abacus";
    ck_assert_int_eq(thrown([&] { ebb::net unknown(options); }).code(), EBB_E_UNSUPPORTED);
}
END_TEST

START_TEST(moving)
{
    ebb::net first = loaded();
    ebb_net *const handle = first.get();
    ebb::net second = std::move(first);
    ck_assert_ptr_eq(second.get(), handle);
    ck_assert_ptr_null(first.get());
    first = loaded();
    ebb::blob out;
    {
        ebb::extractor x(first), y = std::move(x);
        const float in[] = {3};
        y.copy("data", ebb::planar(EBB_F32, {1}), in);
        out = y.extract("out");
    }
    first = std::move(second);
    ck_assert_float_eq(out.values<float>()[0], 3);
}
END_TEST

int main()
{
    const test_entry tests[] = {{"inference", inference},
                                {"several outputs", several_outputs},
                                {"values follow the strides", values_follow_the_strides},
                                {"giving", giving},
                                {"errors are sentences", errors_are_sentences},
                                {"moving", moving},
                                {nullptr, nullptr}};
    return run_tests("hpp", tests);
}
