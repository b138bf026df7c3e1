#define _GNU_SOURCE
#include "CLMDB.h"

#include <dlfcn.h>
#include <string.h>

// Each function of the library: its result, its name, its parameters, and the arguments that
// forward them. X defines a pointer that clmdb_load sets, and a function that calls through it.
#define FUNCTIONS(X)                                                                               \
    X(const char *, strerror, (int code), (code))                                                  \
    X(int, env_create, (void **env), (env))                                                        \
    X(int, env_set_mapsize, (void *env, size_t size), (env, size))                                 \
    X(int, env_set_maxdbs, (void *env, unsigned count), (env, count))                              \
    X(int, env_open, (void *env, const char *path, unsigned flags, unsigned mode),                 \
      (env, path, flags, mode))                                                                    \
    X(void, env_close, (void *env), (env))                                                         \
    X(int, txn_begin, (void *env, void *parent, unsigned flags, void **txn),                       \
      (env, parent, flags, txn))                                                                   \
    X(int, txn_commit, (void *txn), (txn))                                                         \
    X(void, txn_abort, (void *txn), (txn))                                                         \
    X(int, dbi_open, (void *txn, const char *name, unsigned flags, unsigned *dbi),                 \
      (txn, name, flags, dbi))                                                                     \
    X(int, drop, (void *txn, unsigned dbi, int del), (txn, dbi, del))                              \
    X(int, get, (void *txn, unsigned dbi, clmdb_val *key, clmdb_val *data), (txn, dbi, key, data)) \
    X(int, put, (void *txn, unsigned dbi, clmdb_val *key, clmdb_val *data, unsigned flags),        \
      (txn, dbi, key, data, flags))                                                                \
    X(int, del, (void *txn, unsigned dbi, clmdb_val *key, clmdb_val *data), (txn, dbi, key, data)) \
    X(int, cursor_open, (void *txn, unsigned dbi, void **cursor), (txn, dbi, cursor))              \
    X(void, cursor_close, (void *cursor), (cursor))                                                \
    X(int, cursor_get, (void *cursor, clmdb_val *key, clmdb_val *data, int operation),             \
      (cursor, key, data, operation))                                                              \
    X(int, cursor_count, (void *cursor, size_t *count), (cursor, count))

#define DEFINE(result, name, parameters, arguments)                                                \
    static result(*loaded_##name) parameters;                                                      \
    result clmdb_##name parameters { return loaded_##name arguments; }
FUNCTIONS(DEFINE)

int clmdb_load(void) {
    void *library = dlopen("liblmdb.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return -1;
#define FIND(result, name, parameters, arguments)                                                  \
    *(void **)&loaded_##name = dlsym(library, "mdb_" #name);                                       \
    if (loaded_##name == NULL) return -1;
    FUNCTIONS(FIND)
    return 0;
}

int clmdb_contains(const void *text, size_t text_size, const void *part, size_t part_size) {
    return memmem(text, text_size, part, part_size) != NULL;
}
