/* Random limits, and stops from another thread, on several engines at once, with batches beside them: nothing leaks, hangs or dies.
 *
 *   stress [CALLS [ENGINES]]
 *
 * Prints the memory before and after.
 */
#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <emilia.h>

/* Megabytes by which the memory may grow, where glibc has one heap for all threads (check.sh). */
enum { MOST_GROWTH = 4, MOST_ENGINES = 16 };

typedef struct {
    unsigned seed;
    int calls;
} Work;

typedef struct {
    const EmiliaEngine *engine;
    unsigned microseconds;
} Stop;

static unsigned draw(unsigned *seed, unsigned below) {
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % below;
}

static void *stop_later(void *given) {
    const Stop *stop = given;
    struct timespec time = {0, (long)stop->microseconds * 1000};
    nanosleep(&time, NULL);
    emilia_engine_stop(stop->engine);
    return NULL;
}

static int32_t end_sometimes(const EmiliaResult *result, void *user) {
    (void)user;
    return result->depth > 5 && result->nodes % 3 == 0;
}

static int32_t end_the_batch(size_t done, size_t positions, void *user) {
    assert(done <= positions);
    return *(int *)user;
}

static EmiliaPosition some_position(unsigned *seed) {
    EmiliaPosition position = emilia_position_start();
    for (unsigned plies = draw(seed, 50); plies > 0 && !emilia_is_over(&position); plies--) {
        uint64_t legal = emilia_legal_moves(&position);
        uint8_t move = EMILIA_PASS;
        if (legal != 0) {
            do {
                move = (uint8_t)draw(seed, 64);
            } while (!(legal >> move & 1));
        }
        assert(emilia_play(&position, move, NULL) == EMILIA_OK);
    }
    return position;
}

static void some_batch(unsigned *seed) {
    EmiliaPosition positions[12];
    EmiliaSolved solved[12];
    EmiliaBatch batch = emilia_batch_default();
    int ends = (int)draw(seed, 2);
    for (int i = 0; i < 12; i++) {
        positions[i] = some_position(seed);
    }
    batch.hash_mb = 1;
    batch.threads = 1 + draw(seed, 3);
    batch.max_nodes = 20000;
    batch.progress = end_the_batch;
    batch.user = &ends;
    assert(emilia_solve_batch(positions, 12, "exact", &batch, solved, NULL) == EMILIA_OK);
    for (int i = 0; i < 12; i++) {
        assert(solved[i].status <= EMILIA_STATUS_STOPPED && solved[i].lower <= solved[i].upper);
    }
}

static int32_t some_call(const EmiliaEngine *engine, unsigned *seed) {
    EmiliaPosition position = some_position(seed);
    EmiliaLimits limits = emilia_limits_none();
    EmiliaResult results[3];
    EmiliaVerdict verdicts[8];
    EmiliaEffort effort = emilia_effort_default();
    limits.seconds = 0.001 * draw(seed, 40) + 0.001;
    switch (draw(seed, 7)) {
    case 0:
        return emilia_search(engine, &position, &limits, results, 3, NULL, NULL);
    case 1:
        limits.nodes = 1 + draw(seed, 3000);
        return emilia_choose(engine, &position, &limits, results, NULL);
    case 2:
        limits.report = end_sometimes;
        return emilia_solve(engine, &position, draw(seed, 2) ? "exact" : "wld", &limits, results, NULL);
    case 3:
        return emilia_hints(engine, &position, 1 + draw(seed, 4), results, 2, NULL, NULL);
    case 4:
        effort.depth = 5;
        return emilia_analyze(engine, "f5d6c3d3c4f4f6f3", &effort, verdicts, 8, NULL, NULL) == EMILIA_ERROR_FAULT;
    case 5:
        limits.seconds = 0;
        limits.clock_opponent = 1;
        limits.clock_own = 0.1 * draw(seed, 10);
        return emilia_search(engine, &position, &limits, results, 1, NULL, NULL);
    default:
        some_batch(seed);
        return EMILIA_OK;
    }
}

static void *work(void *given) {
    Work *work = given;
    while (work->calls > 0) {
        EmiliaEngine *engine = NULL;
        EmiliaOptions options = emilia_options_default();
        options.threads = 1 + draw(&work->seed, 3);
        options.hash_mb = 1 + draw(&work->seed, 4);
        options.level = draw(&work->seed, 2) * 5;
        assert(emilia_engine_new(&options, &engine, NULL) == EMILIA_OK);
        for (int i = 0; i < 8; i++, work->calls--) {
            pthread_t thread;
            Stop stop = {engine, draw(&work->seed, 20000)};
            assert(pthread_create(&thread, NULL, stop_later, &stop) == 0);
            assert(some_call(engine, &work->seed) == EMILIA_OK);
            assert(pthread_join(thread, NULL) == 0);
        }
        emilia_engine_free(engine);
    }
    return NULL;
}

static void run(unsigned seed, int calls, int engines) {
    pthread_t threads[MOST_ENGINES];
    Work works[MOST_ENGINES];
    for (int i = 0; i < engines; i++) {
        works[i] = (Work){seed + (unsigned)i, calls / engines};
        assert(pthread_create(&threads[i], NULL, work, &works[i]) == 0);
    }
    for (int i = 0; i < engines; i++) {
        assert(pthread_join(threads[i], NULL) == 0);
    }
}

/* Megabytes of this process. */
static double resident(void) {
    long total, pages;
    FILE *file = fopen("/proc/self/statm", "r");
    assert(file != NULL && fscanf(file, "%ld %ld", &total, &pages) == 2);
    fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
}

int main(int count, char **arguments) {
    int calls = count > 1 ? atoi(arguments[1]) : 1000, engines = count > 2 ? atoi(arguments[2]) : 3;
    assert(calls >= 0 && engines >= 1 && engines <= MOST_ENGINES);
    run(1000, 24 * engines, engines);
    double before = resident();
    run(0, calls, engines);
    double after = resident();
    printf("%d calls, %d engines at once: memory %.1f -> %.1f MB\n", calls, engines, before, after);
    return after - before < MOST_GROWTH ? 0 : 1;
}
