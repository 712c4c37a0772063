/*
 * The extension module fourstamp._stamp: fourstamp.h for Python, call by call.
 *
 * It uses Python's limited interface as of 3.9, so one build serves every later version. That
 * interface has no vector calls before 3.10; arguments come as tuples.
 *
 * Python's lock is held in all calls but RunFolder.close, which may wait for other processes. So no
 * two threads are ever in one node at once, which fourstamp.h asks for.
 */
#ifndef FOURSTAMP_PYTHON_STAMP_H
#define FOURSTAMP_PYTHON_STAMP_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <fourstamp.h>

/* failure.c: what went wrong in libfourstamp becomes an exception of fourstamp.errors. */
int load_errors(void);
PyObject *raise_last(int code);
PyObject *raise_argument(const char *format, ...);
void warn_unclosed(PyObject *object, const char *method);

/* arguments.c: numbers and headers out of Python's objects. Each is -1 with an exception set. */
int whole_number(PyObject *value, const char *name, uint64_t largest, uint64_t *number);
int moment(PyObject *value, const char *name, uint64_t *ticks);
const void *header_bytes(PyObject *value, PyObject **owner);

/* run.c */
extern PyTypeObject *run_type;
int add_run_type(PyObject *module);
PyObject *create_run(PyObject *module, PyObject *arguments);
PyObject *join_run(PyObject *module, PyObject *path);

/* stamper.c */
int add_stamper_type(PyObject *module);
PyObject *open_stamper(PyObject *folder, fourstamp_run *run, PyObject *arguments, PyObject *named);

#endif
