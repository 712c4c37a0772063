/*
 * fourstamp.h: four time stamps on every message of your own program.
 *
 *     fourstamp_run *run;
 *     fourstamp_node *node;
 *     unsigned char header[FOURSTAMP_HEADER_BYTES];
 *
 *     fourstamp_create("runs/mine", NULL, &run);     in other processes: fourstamp_join
 *     fourstamp_node_open(run, 0, NULL, &node);
 *
 *     uint64_t ready = fourstamp_now(node);                            1: it is a message
 *     fourstamp_header(node, 1, FOURSTAMP_DATA, ready, fourstamp_now(node), header);
 *                                                                      2: it goes to the network
 *     ... the header and the message travel to node 1 ...
 *     uint64_t arrived = fourstamp_now(other);                         3: it is here
 *     fourstamp_taken(other, header, arrived, length);                 4: the program takes it
 *
 *     fourstamp_node_finish(node);
 *     fourstamp_close(run, NULL);      in other processes: fourstamp_leave. Then, in a shell:
 *                                      fourstamp report runs/mine
 *
 * docs/LIBRARY.md says how to build the library and link with it.
 *
 * Errors
 *     Functions return FOURSTAMP_OK, which is 0, or a code; fourstamp_error() says what happened
 *     and what to do about it. What a function gives is written only when it returns FOURSTAMP_OK.
 *     No function ends the program.
 *
 * Handles
 *     A handle is valid until it is closed, left or finished. It is told, and is an error, when a
 *     null, closed or finished handle is given, one of the other type, or one of before a fork. A
 *     pointer that this library never gave cannot be told in every case. For that each handle keeps
 *     some 200 bytes until the process ends.
 *
 * Threads
 *     A run may be used by all threads at once. Of a node, fourstamp_now and fourstamp_header may be
 *     called by all threads at once; everything else by one thread at a time, and by none while it
 *     is finished. fourstamp_error is the calling thread's own.
 *
 * Processes
 *     A forked child must not use its parent's handles (it gets FOURSTAMP_FORKED) and joins the run
 *     instead. It should end with _exit or exec, as forked children do.
 *
 * Versions
 *     Each struct begins with its size in bytes, which FOURSTAMP_..._INIT sets. Later versions add
 *     members at the end, of which zero means what was before; so programs may be older or newer
 *     than the library that they run with. A newer program that asks an older library for what it
 *     does not know gets FOURSTAMP_SIZE. Codes and numbers are never given another meaning.
 */
#ifndef FOURSTAMP_H
#define FOURSTAMP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a function went. */
#define FOURSTAMP_OK 0
#define FOURSTAMP_NULL 1        /* a pointer that must not be null is null */
#define FOURSTAMP_HANDLE 2      /* no handle of this type */
#define FOURSTAMP_CLOSED 3      /* the handle was closed, left or finished before */
#define FOURSTAMP_FORKED 4      /* the handle belongs to the parent process: join the run */
#define FOURSTAMP_SIZE 5        /* the size of a struct is wrong, or of a newer version */
#define FOURSTAMP_ARGUMENT 6    /* a value is not possible */
#define FOURSTAMP_HEADER 7      /* the bytes are no header */
#define FOURSTAMP_HALVES 8      /* the node records halves, and this is for one that does not */
#define FOURSTAMP_NOT_EMPTY 9   /* the folder for a new run is not empty */
#define FOURSTAMP_NOT_A_RUN 10  /* there is no run */
#define FOURSTAMP_ENDED 11      /* the run was closed before */
#define FOURSTAMP_GOING_ON 12   /* other nodes of the run still record */
#define FOURSTAMP_NODE_TAKEN 13 /* the run has a node of this number */
#define FOURSTAMP_DISK_FULL 14  /* no space left */
#define FOURSTAMP_FILE 15       /* the system refused something, or a file is damaged */
#define FOURSTAMP_MEMORY 16     /* no memory for the buffer */
#define FOURSTAMP_BUG 17        /* an error in this library */

/* What a message is for. Reports count all of them but acknowledgements as the program's own. */
#define FOURSTAMP_DATA 0
#define FOURSTAMP_REPLY 1
#define FOURSTAMP_ACK 7
#define FOURSTAMP_OTHER 11

/* Bytes of the header that travels before a message. */
#define FOURSTAMP_HEADER_BYTES 32

/* No such moment: as `arrived` of a message within a node, or of one whose arrival was not seen. */
#define FOURSTAMP_ABSENT UINT64_MAX

/* A run folder that is being written. */
typedef struct fourstamp_run fourstamp_run;
/* A sender and receiver of messages: its clock, and its record. */
typedef struct fourstamp_node fourstamp_node;

/* What run.json says of a new run. */
typedef struct fourstamp_run_options {
    size_t size;
    const char *workload;  /* what sends the messages; NULL: the program's file name */
    const char *transport; /* how they travel, as "tcp"; NULL: not said */
} fourstamp_run_options;
#define FOURSTAMP_RUN_OPTIONS_INIT {sizeof(fourstamp_run_options), NULL, NULL}

/* How a node records. All zero but the size: as when none are given. */
typedef struct fourstamp_node_options {
    size_t size;
    uint64_t capacity_rows; /* messages that its buffer holds, 64 bytes each; 0: 262144 */
    uint32_t in_memory;     /* 0: written to disk all the time, by a thread; 1: at the end */
    uint32_t wait;          /* buffer full: 0: drop the message's row and count it; 1: wait */
    uint32_t halves;        /* 1: messages carry no header; both sides log their half */
    uint32_t reserved;      /* 0 */
} fourstamp_node_options;
#define FOURSTAMP_NODE_OPTIONS_INIT {sizeof(fourstamp_node_options), 0, 0, 0, 0, 0}

/* What a node has recorded. */
typedef struct fourstamp_counts {
    size_t size;
    uint64_t recorded; /* messages, or halves */
    uint64_t dropped;  /* messages that found the buffer full */
} fourstamp_counts;
#define FOURSTAMP_COUNTS_INIT {sizeof(fourstamp_counts), 0, 0}

/* The library's version, as "0.1.0". */
const char *fourstamp_version(void);

/* What went wrong in this thread's last call that failed, in a line: the thing, the reason, the
 * remedy. Never null; valid until this thread's next call that fails. */
const char *fourstamp_error(void);

/* Makes the folder of a new run; it must not exist yet, or be empty. `options` may be NULL. */
int fourstamp_create(const char *path, const fourstamp_run_options *options, fourstamp_run **run);

/* Joins a run that another process has made and not closed yet. */
int fourstamp_join(const char *path, fourstamp_run **run);

/* The end of this process's part; the process that made the run closes it. */
int fourstamp_leave(fourstamp_run *run);

/* The run has ended: puts all stamps on its timeline and writes its files. All its nodes must have
 * finished; waits up to 10 seconds for those of other processes. `messages`, which may be NULL, is
 * given their number. The handle is closed also where this fails, and nothing that was recorded is
 * lost then: the first command that reads the run closes it. */
int fourstamp_close(fourstamp_run *run, uint64_t *messages);

/* Node `number` of the run. Each node has a number of its own, also across processes. `options` may
 * be NULL. */
int fourstamp_node_open(fourstamp_run *run, uint16_t number, const fourstamp_node_options *options,
                        fourstamp_node **node);

/* Now, in ticks of the node's clock; 0 for what is no open node. */
uint64_t fourstamp_now(const fourstamp_node *node);

/* Writes the 32 bytes that go before a message to node `receiver`, and gives it its number. Each
 * receiver of a message needs a header of its own. */
int fourstamp_header(const fourstamp_node *node, uint16_t receiver, int kind, uint64_t ready,
                     uint64_t sent, void *header);

/* Records a message of `bytes` bytes that came with `header`, arrived at `arrived`, and is taken
 * now. */
int fourstamp_taken(fourstamp_node *node, const void *header, uint64_t arrived, uint64_t bytes);

/* The same for a message that was taken at `taken`. */
int fourstamp_record(fourstamp_node *node, const void *header, uint64_t arrived, uint64_t taken,
                     uint64_t bytes);

/* Records the sender's half of a message without a header. The k-th send from one node to another
 * belongs to the k-th receive, so they must keep their order and none may be lost. */
int fourstamp_log_sent(fourstamp_node *node, uint16_t receiver, uint64_t ready, uint64_t sent,
                       uint64_t bytes);

/* Records the receiver's half. */
int fourstamp_log_received(fourstamp_node *node, uint16_t sender, uint64_t arrived, uint64_t taken,
                           uint64_t bytes);

/* What the node has recorded so far. */
int fourstamp_node_counts(fourstamp_node *node, fourstamp_counts *counts);

/* Whether rows can be kept as things are: FOURSTAMP_DISK_FULL or FOURSTAMP_FILE when they cannot.
 * Recording goes on as long as the buffer has room, and writing is tried again. Cheap. */
int fourstamp_node_check(fourstamp_node *node);

/* The node ends: writes what is still in its buffer. The handle is closed also where this fails;
 * the rows then stay in memory, and closing the run finds them there. */
int fourstamp_node_finish(fourstamp_node *node);

#ifdef __cplusplus
}
#endif
#endif
