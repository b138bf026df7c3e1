#ifndef CLMDB_H
#define CLMDB_H

#include <stddef.h>

// LMDB 0.9 without its headers: liblmdb.so.0 is loaded at run time, so that the benchmarks build
// and run where it isn't installed. The declarations are those of lmdb.h; handles are void
// pointers.

typedef struct {
    size_t size;
    void *data;
} clmdb_val;

enum {
    CLMDB_NOSUBDIR = 0x4000,
    CLMDB_NOSYNC = 0x10000,

    CLMDB_RDONLY = 0x20000,

    CLMDB_DUPSORT = 0x04,
    CLMDB_INTEGERKEY = 0x08,
    CLMDB_DUPFIXED = 0x10,
    CLMDB_INTEGERDUP = 0x20,
    CLMDB_CREATE = 0x40000,

    CLMDB_RESERVE = 0x10000,
    CLMDB_APPEND = 0x20000,
    CLMDB_APPENDDUP = 0x40000,

    CLMDB_GET_MULTIPLE = 5,
    CLMDB_NEXT = 8,
    CLMDB_NEXT_MULTIPLE = 10,
    CLMDB_SET = 15,

    CLMDB_NOTFOUND = -30798,
};

/// Loads the library. Returns 0, or -1 if it isn't installed or lacks a function. All functions
/// below require a successful load. Must not be called by two threads concurrently.
int clmdb_load(void);

const char *clmdb_strerror(int code);

int clmdb_env_create(void **env);
int clmdb_env_set_mapsize(void *env, size_t size);
int clmdb_env_set_maxdbs(void *env, unsigned count);
int clmdb_env_open(void *env, const char *path, unsigned flags, unsigned mode);
void clmdb_env_close(void *env);

int clmdb_txn_begin(void *env, void *parent, unsigned flags, void **txn);
int clmdb_txn_commit(void *txn);
void clmdb_txn_abort(void *txn);

int clmdb_dbi_open(void *txn, const char *name, unsigned flags, unsigned *dbi);
int clmdb_drop(void *txn, unsigned dbi, int del);
int clmdb_get(void *txn, unsigned dbi, clmdb_val *key, clmdb_val *data);
int clmdb_put(void *txn, unsigned dbi, clmdb_val *key, clmdb_val *data, unsigned flags);
int clmdb_del(void *txn, unsigned dbi, clmdb_val *key, clmdb_val *data);

int clmdb_cursor_open(void *txn, unsigned dbi, void **cursor);
void clmdb_cursor_close(void *cursor);
int clmdb_cursor_get(void *cursor, clmdb_val *key, clmdb_val *data, int operation);
int clmdb_cursor_count(void *cursor, size_t *count);

/// Whether a text has a part: memmem, which Swift does not see.
int clmdb_contains(const void *text, size_t text_size, const void *part, size_t part_size);

#endif
