#include "CLibpq.h"

#include <dlfcn.h>
#include <stddef.h>

// Each function of the library: its result, its name, its parameters, and the arguments that
// forward them. X defines a pointer that clibpq_load sets, and a function that calls through it.
#define FUNCTIONS(X)                                                                               \
    X(void *, connectdb, (const char *settings), (settings))                                       \
    X(int, status, (const void *connection), (connection))                                         \
    X(const char *, errorMessage, (const void *connection), (connection))                          \
    X(void, finish, (void *connection), (connection))                                              \
    X(void *, exec, (void *connection, const char *query), (connection, query))                    \
    X(void *, prepare,                                                                             \
      (void *connection, const char *name, const char *query, int count, const unsigned *types),   \
      (connection, name, query, count, types))                                                     \
    X(void *, execPrepared,                                                                        \
      (void *connection, const char *name, int count, const char *const *values,                   \
       const int *lengths, const int *formats, int format),                                        \
      (connection, name, count, values, lengths, formats, format))                                 \
    X(int, resultStatus, (const void *result), (result))                                           \
    X(int, ntuples, (const void *result), (result))                                                \
    X(const char *, getvalue, (const void *result, int row, int column), (result, row, column))    \
    X(void, clear, (void *result), (result))

#define DEFINE(result, name, parameters, arguments)                                                \
    static result(*loaded_##name) parameters;                                                      \
    result clibpq_##name parameters { return loaded_##name arguments; }
FUNCTIONS(DEFINE)

int clibpq_load(void) {
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return -1;
#define FIND(result, name, parameters, arguments)                                                  \
    *(void **)&loaded_##name = dlsym(library, "PQ" #name);                                         \
    if (loaded_##name == NULL) return -1;
    FUNCTIONS(FIND)
    return 0;
}
