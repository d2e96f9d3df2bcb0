// SPDX-License-Identifier: BSD-3-Clause
// file_test.c - files, mapped and read.
#include "loading.h"
#include "file.h"
#include <signal.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

static ebb_heap *heap;
static meter m;

static ebb_storage *open_file(const char *path, bool map)
{
    ebb_error e;
    ebb_storage *file;
    const ebb_status s =
        map ? ebb_file_map(heap, path, &file, &e) : ebb_file_read(heap, path, 1 << 20, &file, &e);
    if (s != EBB_OK) ck_abort_msg("%s", e.msg);
    ck_assert(ebb_file_covers(file, file->bytes));
    return file;
}

static void begin(void)
{
    m = (meter){0};
    ck_assert_int_eq(ebb_heap_new(&(ebb_allocator){meter_get, meter_put, &m}, &heap, NULL), EBB_OK);
}

static void end(void)
{
    ebb_heap_drop(heap);
    ck_assert_int_eq(m.live, 0);
}

static void new_file(char *path, size_t n)
{
    strcpy(path, "/tmp/ebb-file-XXXXXX");
    FILE *f = fdopen(mkstemp(path), "w");
    for (size_t i = 0; i < n; i++) putc((int)(i % 251), f);
    fclose(f);
}

START_TEST(mapped_and_read)
{
    static const size_t sizes[] = {0, 1, 4096, 100003};
    for (int i = 0; i < 8; i++) {
        begin();
        const size_t n = sizes[i / 2];
        char path[40];
        new_file(path, n);
        ebb_storage *file = open_file(path, i % 2);
        ck_assert(ebb_file_covers(file, n + 1) == (i % 2 == 0 || n == 0));  // only a mapping can lose bytes
        unlink(path);
        ck_assert_uint_eq(file->bytes, n);
        ck_assert(!file->writable);
        for (size_t k = 0; k < n; k++) ck_assert_int_eq(((unsigned char *)file->data)[k], (int)(k % 251));
        ebb_file_forget(file, 0, n);
        for (size_t k = 0; k < n; k++) ck_assert_int_eq(((unsigned char *)file->data)[k], (int)(k % 251));
        ebb_mem_count count[EBB_MEM_KINDS];
        ebb_heap_count(heap, count);
        if (i % 2 && n) ck_assert_uint_eq(count[EBB_MEM_WEIGHT].live, 0);
        ebb_storage_drop(file);
        end();
    }
}
END_TEST

// A pipe has no size and cannot be mapped.
START_TEST(a_pipe)
{
    begin();
    int fd[2];
    ck_assert_int_eq(pipe(fd), 0);
    const char text[] = "more than 64 bytes, so that the memory for it has to grow while it is being read";
    ck_assert_int_eq(write(fd[1], text, sizeof text), sizeof text);
    close(fd[1]);
    char path[40];
    snprintf(path, sizeof path, "/dev/fd/%d", fd[0]);
    ebb_storage *file = open_file(path, true);
    ck_assert_uint_eq(file->bytes, sizeof text);
    ck_assert_str_eq(file->data, text);
    ebb_storage_drop(file);
    close(fd[0]);
    end();
}
END_TEST

START_TEST(what_cannot_be_read)
{
    begin();
    ebb_error e;
    ebb_storage *file;
    check_message(&e, ebb_file_map(heap, "/nonexistent/x", &file, &e), EBB_E_IO,
                  "cannot open it: No such file");
    check_message(&e, ebb_file_map(heap, "/tmp", &file, &e), EBB_E_IO, "it is a directory, not a file");
    ck_assert_ptr_null(file);
    char path[40];
    new_file(path, 1000);
    check_message(&e, ebb_file_read(heap, path, 999, &file, &e), EBB_E_FORMAT,
                  "it has more than 999 bytes: is it the right file?");
    check_message(&e, ebb_file_read(heap, "/dev/zero", 1 << 20, &file, &e), EBB_E_FORMAT,
                  "it has more than 1048576 bytes");
    ck_assert_ptr_null(file);
    unlink(path);
    end();
}
END_TEST

// Files of the kernel have a size and cannot be mapped; this one holds fewer bytes than it says.
START_TEST(a_file_that_cannot_be_mapped)
{
    static const char path[] = "/sys/devices/system/cpu/online";
    if (access(path, R_OK)) return;
    begin();
    ebb_storage *mapped = open_file(path, true), *read = open_file(path, false);
    ck_assert_uint_eq(mapped->bytes, read->bytes);
    ck_assert_int_eq(((char *)mapped->data)[0], '0');
    ebb_storage_drop(mapped);
    ebb_storage_drop(read);
    end();
}
END_TEST

// The memory of this process: it opens, but nothing lies at 0.
START_TEST(reading_fails)
{
    begin();
    ebb_error e;
    ebb_storage *file;
    int fd;
    size_t n;
    char byte;
    check_message(&e, ebb_file_read(heap, "/nonexistent/x", 1, &file, &e), EBB_E_IO,
                  "cannot open it: No such file");
    check_message(&e, ebb_file_read(heap, "/proc/self/mem", 1 << 20, &file, &e), EBB_E_IO,
                  "cannot read it: ");
    check_message(&e, ebb_file_map(heap, "/proc/self/mem", &file, &e), EBB_E_IO, "cannot read it: ");
    ck_assert_ptr_null(file);
    ck_assert_int_eq(ebb_file_open("/proc/self/mem", &fd, &n, &e), EBB_OK);
    ck_assert(!ebb_file_next(fd, &byte, 1));
    close(fd);
    end();
}
END_TEST

static void on_alarm(int signal) { (void)signal; }

// A child writes n bytes after signals have come; returns the end to read from.
static int slow_pipe(const char *text, size_t n)
{
    int fd[2];
    ck_assert_int_eq(pipe(fd), 0);
    if (fork() == 0) {
        usleep(60000);
        _exit(write(fd[1], text, n) != (ssize_t)n);
    }
    close(fd[1]);
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = on_alarm}, NULL);  // reads are not taken up again
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 5000}, {0, 5000}}, NULL);
    return fd[0];
}

START_TEST(a_signal_while_reading)
{
    begin();
    static const char text[] = "slow";
    char path[40], got[sizeof text];
    int fd = slow_pipe(text, sizeof text);
    ck_assert(ebb_file_next(fd, got, sizeof text));
    ck_assert_str_eq(got, text);
    close(fd);
    fd = slow_pipe(text, sizeof text);
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    ebb_storage *file = open_file(path, false);
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    ck_assert_uint_eq(file->bytes, sizeof text);
    ck_assert_str_eq(file->data, text);
    ebb_storage_drop(file);
    close(fd);
    end();
}
END_TEST

START_TEST(no_memory_to_go_on)
{
    begin();
    ebb_error e;
    ebb_storage *file;
    m.fail_at = m.calls + 2;
    check_message(&e, ebb_file_read(heap, "/dev/zero", 1 << 20, &file, &e), EBB_E_NOMEM,
                  "no memory for more than 64 bytes of it");
    ck_assert_ptr_null(file);
    end();
}
END_TEST

START_TEST(front_to_back)
{
    char path[40];
    ebb_error e;
    int fd;
    size_t n;
    unsigned char part[300];
    new_file(path, 1000);
    ck_assert_int_eq(ebb_file_open(path, &fd, &n, &e), EBB_OK);
    ck_assert_uint_eq(n, 1000);
    for (int at = 0; at < 900; at += 300) {
        ck_assert(ebb_file_next(fd, part, 300));
        for (int i = 0; i < 300; i++) ck_assert_int_eq(part[i], (at + i) % 251);
    }
    ck_assert(ebb_file_next(fd, part, 0) && !ebb_file_next(fd, part, 101) && !ebb_file_next(fd, part, 1));
    close(fd);
    unlink(path);
    ck_assert_int_eq(ebb_file_open("/dev/zero", &fd, &n, &e), EBB_OK);
    ck_assert_uint_eq(n, SIZE_MAX);
    close(fd);
    ck_assert_int_eq(ebb_file_open("/nonexistent/x", &fd, &n, &e), EBB_E_IO);
    ck_assert_int_eq(fd, -1);
}
END_TEST

START_TEST(without_memory)
{
    char path[40];
    new_file(path, 1000);
    for (int map = 0; map < 2; map++)
        for (long at = 1; at <= 2 - map; at++) {
            begin();
            m.fail_at = m.calls + at;
            ebb_error e;
            ebb_storage *file;
            check_message(
                &e, map ? ebb_file_map(heap, path, &file, &e) : ebb_file_read(heap, path, 1000, &file, &e),
                EBB_E_NOMEM, "no memory");
            end();
        }
    unlink(path);
}
END_TEST

int main(void)
{
    return run_tests("file", (const test_entry[]){{"mapped_and_read", mapped_and_read},
                                                  {"a_pipe", a_pipe},
                                                  {"what_cannot_be_read", what_cannot_be_read},
                                                  {"a_file_that_cannot_be_mapped", a_file_that_cannot_be_mapped},
                                                  {"reading_fails", reading_fails},
                                                  {"a_signal_while_reading", a_signal_while_reading},
                                                  {"no_memory_to_go_on", no_memory_to_go_on},
                                                  {"front_to_back", front_to_back},
                                                  {"without_memory", without_memory},
                                                  {0}});
}
