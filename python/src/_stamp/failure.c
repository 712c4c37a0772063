/* What went wrong in libfourstamp becomes an exception of fourstamp.errors. */
#include "stamp.h"
#include <stdarg.h>

static PyObject *by_code; /* the exceptions, by the codes of fourstamp.h */

int load_errors(void)
{
    PyObject *errors = PyImport_ImportModule("fourstamp.errors");
    if (errors == NULL) {
        return -1;
    }
    by_code = PyObject_GetAttrString(errors, "BY_CODE");
    Py_DECREF(errors);
    return by_code == NULL ? -1 : 0;
}

static PyObject *exception_of(int code)
{
    PyObject *key = PyLong_FromLong(code);
    PyObject *found = key == NULL ? NULL : PyObject_GetItem(by_code, key);
    Py_XDECREF(key);
    return found;
}

PyObject *raise_last(int code)
{
    PyObject *exception = exception_of(code);
    if (exception != NULL) {
        PyErr_SetString(exception, fourstamp_error());
        Py_DECREF(exception);
    }
    return NULL;
}

PyObject *raise_argument(const char *format, ...)
{
    PyObject *exception = exception_of(FOURSTAMP_ARGUMENT);
    va_list words;
    if (exception != NULL) {
        va_start(words, format);
        PyErr_FormatV(exception, format, words);
        va_end(words);
        Py_DECREF(exception);
    }
    return NULL;
}

/* As Python's own files do when they are collected open. */
void warn_unclosed(PyObject *object, const char *method)
{
    if (PyErr_WarnFormat(PyExc_ResourceWarning, 1, "%R was not ended; call %s()", object, method)) {
        PyErr_WriteUnraisable(object);
    }
}
