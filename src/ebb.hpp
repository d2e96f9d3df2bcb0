// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// ebb.hpp - ebb.h for C++17: handles that close themselves, errors as exceptions.
///
/// Every class owns one handle of ebb.h, can be moved but not copied, and shows the handle with get(), so
/// that all of ebb.h stays usable. A function that returns a status there throws ebb::error here. An object
/// that was moved from may only be assigned to or destroyed. What ebb.h says about threads and lifetimes
/// holds unchanged.
///
///     ebb::net net;
///     net.load("squeezenet.param", "squeezenet.bin");
///     ebb::extractor x(net);
///     x.borrow("data", ebb::planar(EBB_F32, {3, 227, 227}), pixels);
///     std::vector<float> prob = x.extract("prob").values<float>();
#pragma once
#include "ebb.h"
#include <array>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ebb {

/// What ebb.h reports as a status: what() is its sentence, code() the status.
class error : public std::runtime_error {
public:
    error(ebb_status code, const std::string &words) : std::runtime_error(words), code_(code) {}
    ebb_status code() const noexcept { return code_; }

private:
    ebb_status code_;
};

using text = const std::string &;
using names = std::vector<std::string>;                          ///< of blobs
using memory_counts = std::array<ebb_mem_count, EBB_MEM_KINDS>;  ///< one for each ebb_mem_kind

/// What the classes below share: one owned handle, and calls with it whose failures are thrown.
template <class T, void (*Close)(T *)> class handle {
public:
    T *get() const noexcept { return p_.get(); }

protected:
    explicit handle(T *owned) noexcept : p_(owned) {}
    template <class F, class... A> static void check(F *f, A... arguments)
    {
        ebb_error e;
        if (f(arguments..., &e) != EBB_OK) throw error(e.code, e.msg);
    }
    template <class M, class F, class... A> static M *make(F *f, A... arguments)
    {
        M *made;
        check(f, arguments..., &made);
        return made;
    }
    template <class F, class... A> void call(F *f, A... more) { check(f, get(), more...); }
    template <class F, class... A> void call_all(F *f, const names &n, A... more)
    {
        std::vector<const char *> p;
        for (text name : n) p.push_back(name.c_str());
        call(f, p.data(), static_cast<int>(n.size()), more...);
    }
    template <class F> memory_counts counts(F *f) const noexcept
    {
        memory_counts c;
        f(get(), c.data());
        return c;
    }
    struct closer {
        void operator()(T *p) const noexcept { Close(p); }
    };
    std::unique_ptr<T, closer> p_;
};

/// A dense shape; planar: the last axis has stride 1.
inline ebb_desc planar(ebb_dtype t, std::initializer_list<int> dim)
{
    if (dim.size() > EBB_MAX_RANK) throw error(EBB_E_SHAPE, "a shape has at most 4 sizes");
    return ebb_desc_planar(t, static_cast<int>(dim.size()), dim.begin());
}
/// Pixel order: the first axis has stride 1, as in interleaved pictures.
inline ebb_desc pixel(ebb_dtype t, std::initializer_list<int> dim)
{
    const ebb_desc d = planar(t, dim);
    return ebb_desc_pixel(t, d.rank, d.dim);
}

/// One reference to a blob, or none. Stays valid when the extractor and the net are gone.
class blob : public handle<ebb_blob, ebb_blob_drop> {
public:
    explicit blob(ebb_blob *owned = nullptr) noexcept : handle(owned) {}  ///< takes over the reference
    blob share() const noexcept { return blob(get() ? ebb_blob_hold(get()) : nullptr); }
    ebb_blob *release() noexcept { return p_.release(); }  ///< the reference is the caller's now
    explicit operator bool() const noexcept { return get() != nullptr; }
    const ebb_desc &desc() const noexcept { return *ebb_blob_desc(get()); }
    void *data() const noexcept { return ebb_blob_data(get()); }  ///< element 0; desc() has the strides

    /// All elements in c, h, w order, as what the blob holds: float, std::int8_t or std::int32_t.
    template <class V> std::vector<V> values() const
    {
        constexpr bool f32 = std::is_same_v<V, float>, i8 = std::is_same_v<V, std::int8_t>;
        static_assert(f32 || i8 || std::is_same_v<V, std::int32_t>);
        const ebb_desc &d = desc();
        if (d.dtype != (f32 ? EBB_F32 : i8 ? EBB_I8 : EBB_I32))
            throw error(EBB_E_SHAPE, std::string("the blob holds ") + ebb_dtype_name(d.dtype));
        std::vector<V> v(ebb_desc_count(&d));
        for (std::size_t i = 0; i < v.size(); i++) {
            std::ptrdiff_t at = 0, rest = static_cast<std::ptrdiff_t>(i);
            for (int k = d.rank - 1; k >= 0; rest /= d.dim[k--]) at += rest % d.dim[k] * d.stride[k];
            v[i] = static_cast<const V *>(data())[at];
        }
        return v;
    }
};

/// A model. Immutable once loaded; threads may share it.
class net : public handle<ebb_net, ebb_net_destroy> {
public:
    explicit net(const ebb_net_options &o = {}) : handle(make<ebb_net>(ebb_net_new, &o)) {}
    void load(text param, text bin) { call(ebb_net_load, param.c_str(), bin.c_str()); }
    void load_param(text path) { call(ebb_net_load_param, path.c_str()); }
    void load_param_mem(std::string_view param) { call(ebb_net_load_param_mem, param.data(), param.size()); }
    void load_weights(text path) { call(ebb_net_load_weights, path.c_str()); }
    void load_weights_mem(const void *data, std::size_t n) { call(ebb_net_load_weights_mem, data, n); }
    void add_layer(const ebb_layer_type &type) { call(ebb_net_add_layer, &type); }  ///< outlives the net
    names inputs() const { return list(ebb_net_inputs); }
    names outputs() const { return list(ebb_net_outputs); }
    memory_counts memory() const noexcept { return counts(ebb_net_memory); }

private:
    template <class F> names list(F *f) const
    {
        std::vector<int> at(static_cast<std::size_t>(f(get(), nullptr, 0)));
        f(get(), at.data(), static_cast<int>(at.size()));
        names n;
        for (int i : at) n.emplace_back(ebb_net_blob_name(get(), i));
        return n;
    }
};

/// Threads that extractors share.
class pool : public handle<ebb_pool, ebb_pool_destroy> {
public:
    explicit pool(int threads) : handle(make<ebb_pool>(ebb_pool_new, threads, nullptr)) {}
};

/// One inference at a time. It keeps its net, and the pool in the options.
class extractor : public handle<ebb_extractor, ebb_extractor_destroy> {
public:
    explicit extractor(const net &n, const ebb_extractor_options &o = {})
        : handle(make<ebb_extractor>(ebb_extractor_new, n.get(), &o)) {}
    void reset() noexcept { ebb_extractor_reset(get()); }
    void cancel() noexcept { ebb_extractor_cancel(get()); }  ///< from any thread
    void copy(text name, const ebb_desc &d, const void *p) { call(ebb_extractor_copy, name.c_str(), &d, p); }
    void borrow(text name, const ebb_desc &d, const void *p)
    {
        call(ebb_extractor_borrow, name.c_str(), &d, p);
    }
    void give(text name, blob &&b)  ///< b is empty afterwards; when this throws, it still holds the blob
    {
        call(ebb_extractor_give, name.c_str(), b.get());
        b.release();
    }
    void picture(text name, const ebb_picture &p, const ebb_picture_fit &fit)
    {
        call(ebb_extractor_picture, name.c_str(), &p, &fit);
    }
    void expect(text name, const ebb_desc &d) { call(ebb_extractor_expect, name.c_str(), &d); }
    blob make_blob(const ebb_desc &d) { return blob(make<ebb_blob>(ebb_extractor_make, get(), &d)); }
    void declare(const names &n) { call_all(ebb_extractor_declare, n); }
    void keep(text name) { call(ebb_extractor_keep, name.c_str()); }
    blob extract(text name, ebb_take how = EBB_TAKE_PLANAR)
    {
        return blob(make<ebb_blob>(ebb_extractor_extract, get(), name.c_str(), how));
    }
    void extract_to(text name, const ebb_desc &d, void *p)
    {
        call(ebb_extractor_extract_to, name.c_str(), &d, p);
    }
    std::vector<blob> extract_many(const names &n, ebb_take how = EBB_TAKE_PLANAR)
    {
        std::vector<ebb_blob *> got(n.size());
        std::vector<blob> out(n.size());
        call_all(ebb_extractor_extract_many, n, how, got.data());
        for (std::size_t i = 0; i < n.size(); i++) out[i] = blob(got[i]);
        return out;
    }
    ebb_prediction predict(const names &n, const ebb_observer *watch = nullptr)
    {
        ebb_prediction p;
        call_all(ebb_extractor_predict, n, watch, &p);
        return p;
    }
    memory_counts memory() const noexcept { return counts(ebb_extractor_memory); }
};

}  // namespace ebb
