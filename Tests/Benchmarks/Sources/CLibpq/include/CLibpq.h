#ifndef CLIBPQ_H
#define CLIBPQ_H

// PostgreSQL's client library without its headers: libpq.so.5 is loaded at run time, so that the
// benchmarks build and run where it isn't installed. The declarations are those of libpq-fe.h;
// handles are void pointers.

enum {
    CLIBPQ_CONNECTION_OK = 0,

    CLIBPQ_COMMAND_OK = 1,
    CLIBPQ_TUPLES_OK = 2,
};

/// Loads the library. Returns 0, or -1 if it isn't installed or lacks a function. All functions
/// below require a successful load. Must not be called by two threads concurrently.
int clibpq_load(void);

void *clibpq_connectdb(const char *settings);
int clibpq_status(const void *connection);
const char *clibpq_errorMessage(const void *connection);
void clibpq_finish(void *connection);

void *clibpq_exec(void *connection, const char *query);
void *clibpq_prepare(
    void *connection, const char *name, const char *query, int count, const unsigned *types);
void *clibpq_execPrepared(
    void *connection, const char *name, int count, const char *const *values, const int *lengths,
    const int *formats, int format);

int clibpq_resultStatus(const void *result);
int clibpq_ntuples(const void *result);
const char *clibpq_getvalue(const void *result, int row, int column);
void clibpq_clear(void *result);

#endif
