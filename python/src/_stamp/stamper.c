/* Stamper: a node's clock, and its record. */
#include "stamp.h"

typedef struct {
    PyObject_HEAD
    fourstamp_node *node;
    PyObject *folder; /* its run, which must not be collected before it */
    unsigned number;
    int ended;
} Stamper;

static PyTypeObject *stamper_type;

static PyObject *publish(fourstamp_node *node, PyObject *folder, unsigned number)
{
    allocfunc make = (allocfunc)PyType_GetSlot(stamper_type, Py_tp_alloc);
    Stamper *stamper = (Stamper *)make(stamper_type, 0);
    if (stamper == NULL) {
        fourstamp_node_finish(node);
        return NULL;
    }
    Py_INCREF(folder);
    stamper->node = node;
    stamper->folder = folder;
    stamper->number = number;
    return (PyObject *)stamper;
}

PyObject *open_stamper(PyObject *folder, fourstamp_run *run, PyObject *arguments, PyObject *named)
{
    static char *names[] = {"", "capacity_rows", "in_memory", "wait", "halves", NULL};
    fourstamp_node_options options = FOURSTAMP_NODE_OPTIONS_INIT;
    fourstamp_node *node;
    PyObject *number, *rows = NULL;
    uint64_t whole, capacity = 0;
    int in_memory = 0, wait = 0, halves = 0, code;
    if (!PyArg_ParseTupleAndKeywords(arguments, named, "O|$Oppp", names, &number, &rows, &in_memory,
                                     &wait, &halves)
        || whole_number(number, "number", UINT16_MAX, &whole) < 0
        || (rows != NULL && whole_number(rows, "capacity_rows", UINT64_MAX, &capacity) < 0)) {
        return NULL;
    }
    options.capacity_rows = capacity;
    options.in_memory = (uint32_t)in_memory;
    options.wait = (uint32_t)wait;
    options.halves = (uint32_t)halves;
    code = fourstamp_node_open(run, (uint16_t)whole, &options, &node);
    return code == FOURSTAMP_OK ? publish(node, folder, (unsigned)whole) : raise_last(code);
}

static PyObject *done(int code)
{
    if (code != FOURSTAMP_OK) {
        return raise_last(code);
    }
    Py_RETURN_NONE;
}

static PyObject *stamper_now(PyObject *self, PyObject *none)
{
    uint64_t now = fourstamp_now(((Stamper *)self)->node);
    (void)none;
    if (now != 0) {
        return PyLong_FromUnsignedLongLong(now);
    }
    /* It is no open node; a call that has a code says which failure that is. */
    return done(fourstamp_node_check(((Stamper *)self)->node));
}

static PyObject *stamper_header(PyObject *self, PyObject *arguments)
{
    PyObject *given[4] = {NULL, NULL, NULL, NULL};
    uint64_t receiver, ready, sent, kind = FOURSTAMP_DATA;
    char header[FOURSTAMP_HEADER_BYTES];
    int code;
    if (!PyArg_UnpackTuple(arguments, "header", 3, 4, &given[0], &given[1], &given[2], &given[3])
        || whole_number(given[0], "receiver", UINT16_MAX, &receiver) < 0
        || whole_number(given[1], "ready", UINT64_MAX, &ready) < 0
        || whole_number(given[2], "sent", UINT64_MAX, &sent) < 0
        || (given[3] != NULL && whole_number(given[3], "kind", INT32_MAX, &kind) < 0)) {
        return NULL;
    }
    code = fourstamp_header(((Stamper *)self)->node, (uint16_t)receiver, (int)kind, ready, sent,
                            header);
    if (code != FOURSTAMP_OK) {
        return raise_last(code);
    }
    return PyBytes_FromStringAndSize(header, sizeof header);
}

static PyObject *stamper_taken(PyObject *self, PyObject *arguments)
{
    PyObject *given[3], *owner;
    uint64_t arrived, bytes;
    const void *header;
    int code;
    if (!PyArg_UnpackTuple(arguments, "taken", 3, 3, &given[0], &given[1], &given[2])
        || moment(given[1], "arrived", &arrived) < 0
        || whole_number(given[2], "bytes", UINT64_MAX, &bytes) < 0
        || (header = header_bytes(given[0], &owner)) == NULL) {
        return NULL;
    }
    code = fourstamp_taken(((Stamper *)self)->node, header, arrived, bytes);
    Py_DECREF(owner);
    return done(code);
}

static PyObject *stamper_record(PyObject *self, PyObject *arguments)
{
    PyObject *given[4], *owner;
    uint64_t arrived, taken, bytes;
    const void *header;
    int code;
    if (!PyArg_UnpackTuple(arguments, "record", 4, 4, &given[0], &given[1], &given[2], &given[3])
        || moment(given[1], "arrived", &arrived) < 0
        || whole_number(given[2], "taken", UINT64_MAX, &taken) < 0
        || whole_number(given[3], "bytes", UINT64_MAX, &bytes) < 0
        || (header = header_bytes(given[0], &owner)) == NULL) {
        return NULL;
    }
    code = fourstamp_record(((Stamper *)self)->node, header, arrived, taken, bytes);
    Py_DECREF(owner);
    return done(code);
}

static PyObject *stamper_log_sent(PyObject *self, PyObject *arguments)
{
    PyObject *given[4];
    uint64_t receiver, ready, sent, bytes;
    if (!PyArg_UnpackTuple(arguments, "log_sent", 4, 4, &given[0], &given[1], &given[2], &given[3])
        || whole_number(given[0], "receiver", UINT16_MAX, &receiver) < 0
        || whole_number(given[1], "ready", UINT64_MAX, &ready) < 0
        || whole_number(given[2], "sent", UINT64_MAX, &sent) < 0
        || whole_number(given[3], "bytes", UINT64_MAX, &bytes) < 0) {
        return NULL;
    }
    return done(
        fourstamp_log_sent(((Stamper *)self)->node, (uint16_t)receiver, ready, sent, bytes));
}

static PyObject *stamper_log_received(PyObject *self, PyObject *arguments)
{
    PyObject *given[4];
    uint64_t sender, arrived, taken, bytes;
    if (!PyArg_UnpackTuple(arguments, "log_received", 4, 4, &given[0], &given[1], &given[2],
                           &given[3])
        || whole_number(given[0], "sender", UINT16_MAX, &sender) < 0
        || whole_number(given[1], "arrived", UINT64_MAX, &arrived) < 0
        || whole_number(given[2], "taken", UINT64_MAX, &taken) < 0
        || whole_number(given[3], "bytes", UINT64_MAX, &bytes) < 0) {
        return NULL;
    }
    return done(
        fourstamp_log_received(((Stamper *)self)->node, (uint16_t)sender, arrived, taken, bytes));
}

static PyObject *stamper_counts(PyObject *self, PyObject *none)
{
    fourstamp_counts counts = FOURSTAMP_COUNTS_INIT;
    int code = fourstamp_node_counts(((Stamper *)self)->node, &counts);
    (void)none;
    if (code != FOURSTAMP_OK) {
        return raise_last(code);
    }
    return Py_BuildValue("(KK)", (unsigned long long)counts.recorded,
                         (unsigned long long)counts.dropped);
}

static PyObject *stamper_check(PyObject *self, PyObject *none)
{
    (void)none;
    return done(fourstamp_node_check(((Stamper *)self)->node));
}

static PyObject *stamper_finish(PyObject *self, PyObject *none)
{
    Stamper *stamper = (Stamper *)self;
    (void)none;
    stamper->ended = 1;
    return done(fourstamp_node_finish(stamper->node));
}

static PyObject *stamper_enter(PyObject *self, PyObject *none)
{
    (void)none;
    Py_INCREF(self);
    return self;
}

static PyObject *stamper_exit(PyObject *self, PyObject *raised)
{
    (void)raised;
    if (((Stamper *)self)->ended) {
        Py_RETURN_NONE;
    }
    return stamper_finish(self, NULL);
}

static PyObject *stamper_number(PyObject *self, void *none)
{
    (void)none;
    return PyLong_FromUnsignedLong(((Stamper *)self)->number);
}

static PyObject *stamper_repr(PyObject *self)
{
    Stamper *stamper = (Stamper *)self;
    return PyUnicode_FromFormat("<fourstamp.Stamper %u of %R>", stamper->number, stamper->folder);
}

static PyObject *stamper_new(PyTypeObject *type, PyObject *arguments, PyObject *named)
{
    (void)type, (void)arguments, (void)named;
    PyErr_SetString(PyExc_TypeError, "call node() of a RunFolder");
    return NULL;
}

static void stamper_dealloc(PyObject *self)
{
    Stamper *stamper = (Stamper *)self;
    PyTypeObject *type = Py_TYPE(self);
    PyObject *kind, *value, *trace;
    PyErr_Fetch(&kind, &value, &trace);
    /* In a forked child it is the parent's, and finishing it fails. */
    if (!stamper->ended && fourstamp_node_finish(stamper->node) == FOURSTAMP_OK) {
        warn_unclosed(self, "finish");
    }
    PyErr_Restore(kind, value, trace);
    Py_XDECREF(stamper->folder);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"now", stamper_now, METH_NOARGS,
     "now($self, /)\n--\n\nNow, in ticks of the node's clock. Closing the run converts them."},
    {"header", stamper_header, METH_VARARGS,
     "header($self, receiver, ready, sent, kind=0, /)\n--\n\n"
     "The 32 bytes that go before a message to node `receiver`. Each receiver of a message needs\n"
     "a header of its own."},
    {"taken", stamper_taken, METH_VARARGS,
     "taken($self, header, arrived, bytes, /)\n--\n\n"
     "Record a message of `bytes` bytes that came with `header`, arrived at `arrived` (None: was\n"
     "not seen, or within a node), and is taken now."},
    {"record", stamper_record, METH_VARARGS,
     "record($self, header, arrived, taken, bytes, /)\n--\n\n"
     "The same for a message that was taken at `taken`."},
    {"log_sent", stamper_log_sent, METH_VARARGS,
     "log_sent($self, receiver, ready, sent, bytes, /)\n--\n\n"
     "Record the sender's half of a message without a header. The k-th send from one node to\n"
     "another belongs to the k-th receive."},
    {"log_received", stamper_log_received, METH_VARARGS,
     "log_received($self, sender, arrived, taken, bytes, /)\n--\n\nRecord the receiver's half."},
    {"counts", stamper_counts, METH_NOARGS,
     "counts($self, /)\n--\n\n"
     "Messages or halves recorded so far, and those dropped because the buffer was full."},
    {"check", stamper_check, METH_NOARGS,
     "check($self, /)\n--\n\n"
     "Raise DiskFullError or FileError when rows cannot be kept as things are. Recording goes on\n"
     "as long as the buffer has room, and writing is tried again."},
    {"finish", stamper_finish, METH_NOARGS,
     "finish($self, /)\n--\n\nThe node ends: write what is still in its buffer."},
    {"__enter__", stamper_enter, METH_NOARGS, NULL},
    {"__exit__", stamper_exit, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef properties[] = {
    {"number", stamper_number, NULL, "The node's number.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "A node of a run: its clock, the headers of its messages, and its record. See\n"
                "RunFolder.node(). `with` finishes it."},
    {Py_tp_new, stamper_new},
    {Py_tp_methods, methods},
    {Py_tp_getset, properties},
    {Py_tp_repr, stamper_repr},
    {Py_tp_dealloc, stamper_dealloc},
    {0, NULL},
};

static PyType_Spec spec = {"fourstamp.Stamper", sizeof(Stamper), 0, Py_TPFLAGS_DEFAULT, slots};

int add_stamper_type(PyObject *module)
{
    stamper_type = (PyTypeObject *)PyType_FromSpec(&spec);
    if (stamper_type == NULL) {
        return -1;
    }
    Py_INCREF(stamper_type); /* the module's; ours stays */
    return PyModule_AddObject(module, "Stamper", (PyObject *)stamper_type);
}
