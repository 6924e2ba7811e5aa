/* A child must make engines of its own: one that it inherited says so, and can be freed. */
#define _POSIX_C_SOURCE 200809L
#include <sys/wait.h>
#include <unistd.h>

#include <emilia.h>

static int searches(const EmiliaEngine *engine) {
    EmiliaPosition position = emilia_position_start();
    EmiliaLimits limits = emilia_limits_none();
    EmiliaResult result;
    limits.depth = 3;
    return emilia_search(engine, &position, &limits, &result, 1, NULL, NULL);
}

int main(void) {
    EmiliaEngine *engine = NULL;
    int status = 1;
    if (emilia_engine_new(NULL, &engine, NULL) || searches(engine)) {
        return 1;
    }
    pid_t child = fork();
    if (child == 0) {
        EmiliaEngine *own = NULL;
        int code = searches(engine);
        emilia_engine_free(engine);
        if (emilia_engine_new(NULL, &own, NULL) || searches(own)) {
            _exit(2);
        }
        emilia_engine_free(own);
        _exit(code == EMILIA_ERROR_FORKED ? 0 : 3);
    }
    if (waitpid(child, &status, 0) != child || status != 0 || searches(engine)) {
        return 4;
    }
    emilia_engine_free(engine);
    return 0;
}
