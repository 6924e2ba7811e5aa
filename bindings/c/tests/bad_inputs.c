/* A table of bad inputs: each has its code and a text, and changes nothing. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <emilia.h>

static int failures = 0;

static void expect(int line, int32_t expected, int32_t code, const EmiliaError *error) {
    if (code != expected || error->code != expected || strlen(error->text) == 0) {
        printf("line %d: code %d, not %d: %s\n", line, code, expected, error->text);
        failures++;
    }
}

#define EXPECT(expected, call) expect(__LINE__, expected, call, &error)

static void texts(void) {
    EmiliaError error;
    EmiliaPosition position = emilia_position_start();
    uint8_t move = 77;
    static const struct {
        const char *text;
        uint32_t column;
    } boards[] = {
        {"", 1}, {"---X", 5}, {"\xff", 1}, {"?", 1},
        {"---------------------------OX------XO---------------------------", 65},
        {"---------------------------OX------XO--------------------------- X X", 68},
    }, games[] = {{"f5d6a1", 5}, {"z9", 1}, {"f5 pass", 4}, {"f5\xc3", 3}};
    for (size_t i = 0; i < sizeof boards / sizeof *boards; i++) {
        EXPECT(EMILIA_ERROR_PARSE, emilia_position_parse(boards[i].text, &position, &error));
        if (error.column != boards[i].column) {
            printf("board %zu: column %u\n", i, error.column), failures++;
        }
    }
    for (size_t i = 0; i < sizeof games / sizeof *games; i++) {
        EXPECT(EMILIA_ERROR_PARSE, emilia_game_parse(games[i].text, &position, NULL, 0, NULL, &error));
        if (error.column != games[i].column) {
            printf("game %zu: column %u\n", i, error.column), failures++;
        }
    }
    EXPECT(EMILIA_ERROR_ARGUMENT, emilia_position_parse(NULL, &position, &error));
    EXPECT(EMILIA_ERROR_ARGUMENT, emilia_position_parse("---------------------------OX------XO--------------------------- X", NULL, &error));
    EXPECT(EMILIA_ERROR_ARGUMENT, emilia_game_parse(NULL, &position, NULL, 0, NULL, &error));
    EXPECT(EMILIA_ERROR_ARGUMENT, emilia_game_parse("f5", NULL, NULL, 0, NULL, &error));
    EXPECT(EMILIA_ERROR_PARSE, emilia_move_parse("z9", &move, &error));
    EXPECT(EMILIA_ERROR_PARSE, emilia_move_parse("", &move, &error));
    EXPECT(EMILIA_ERROR_ARGUMENT, emilia_move_parse(NULL, &move, &error));
    EXPECT(EMILIA_ERROR_ARGUMENT, emilia_move_parse("f5", NULL, &error));
    EXPECT(EMILIA_ERROR_ARGUMENT, emilia_position_print(&position, NULL, &error));
    EXPECT(EMILIA_ERROR_ARGUMENT, emilia_position_print(NULL, NULL, &error));
    EmiliaPosition start = emilia_position_start();
    if (memcmp(&position.player, &start.player, 17) != 0 || move != 77) {
        printf("something was written\n"), failures++;
    }
}

static void positions(const EmiliaEngine *engine) {
    EmiliaError error;
    EmiliaResult result;
    EmiliaPosition start = emilia_position_start();
    EmiliaPosition bad[] = {{1, 1, EMILIA_BLACK}, {1, 2, 2}};
    const int32_t codes[] = {EMILIA_ERROR_ILLEGAL, EMILIA_ERROR_ARGUMENT};
    for (int i = 0; i < 2; i++) {
        EXPECT(codes[i], emilia_search(engine, &bad[i], NULL, &result, 1, NULL, &error));
        EXPECT(codes[i], emilia_choose(engine, &bad[i], NULL, &result, &error));
        EXPECT(codes[i], emilia_hints(engine, &bad[i], 3, &result, 1, NULL, &error));
        EXPECT(codes[i], emilia_solve(engine, &bad[i], "exact", NULL, &result, &error));
        EXPECT(codes[i], emilia_play(&bad[i], 19, &error));
        if (emilia_legal_moves(&bad[i]) != 0 || emilia_is_over(&bad[i]) || emilia_evaluate(&bad[i]) != 0) {
            printf("no position has moves\n"), failures++;
        }
    }
    const uint8_t moves[] = {0, 27, EMILIA_PASS, 65, 254, EMILIA_NO_MOVE};
    for (size_t i = 0; i < sizeof moves; i++) {
        EXPECT(EMILIA_ERROR_ILLEGAL, emilia_play(&start, moves[i], &error));
    }
    EXPECT(EMILIA_ERROR_ARGUMENT, emilia_search(engine, NULL, NULL, &result, 1, NULL, &error));
    EXPECT(EMILIA_ERROR_ARGUMENT, emilia_play(NULL, 19, &error));
    if (emilia_legal_moves(NULL) != 0 || emilia_is_over(NULL) || emilia_final_score(NULL) != 0 || emilia_evaluate(NULL) != 0) {
        printf("NULL is a position\n"), failures++;
    }
}

static void limits(const EmiliaEngine *engine) {
    EmiliaError error;
    EmiliaResult result;
    EmiliaPosition start = emilia_position_start();
    const double times[] = {-1, NAN, INFINITY, -INFINITY, 1e300};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        for (int field = 0; field < 4; field++) {
            EmiliaLimits limits = emilia_limits_none();
            double *fields[] = {&limits.seconds, &limits.clock_own, &limits.clock_opponent, &limits.clock_increment};
            *fields[field] = times[i];
            EXPECT(EMILIA_ERROR_ARGUMENT, emilia_search(engine, &start, &limits, &result, 1, NULL, &error));
            EXPECT(EMILIA_ERROR_ARGUMENT, emilia_choose(engine, &start, &limits, &result, &error));
            EXPECT(EMILIA_ERROR_ARGUMENT, emilia_solve(engine, &start, "wld", &limits, &result, &error));
        }
    }
    EmiliaLimits both = emilia_limits_none(), pruned = emilia_limits_none(), shallow = emilia_limits_none();
    both.seconds = both.clock_increment = 1;
    EXPECT(EMILIA_ERROR_ARGUMENT, emilia_search(engine, &start, &both, &result, 1, NULL, &error));
    pruned.selectivity = 74;
    EXPECT(EMILIA_ERROR_ARGUMENT, emilia_search(engine, &start, &pruned, &result, 1, NULL, &error));
    shallow.depth = 1;
    EXPECT(EMILIA_ERROR_ARGUMENT, emilia_search(engine, &start, &shallow, NULL, 1, NULL, &error));
    EXPECT(EMILIA_ERROR_ARGUMENT, emilia_search(engine, &start, NULL, &result, 0, NULL, &error));
    EXPECT(EMILIA_ERROR_ARGUMENT, emilia_hints(engine, &start, 3, &result, 0, NULL, &error));
    EXPECT(EMILIA_ERROR_ARGUMENT, emilia_choose(engine, &start, &shallow, NULL, &error));
    const char *questions[] = {"", "who", ">=3", ">=66", "exact ", "\xff"};
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        EXPECT(EMILIA_ERROR_PARSE, emilia_solve(engine, &start, questions[i], &shallow, &result, &error));
        EXPECT(EMILIA_ERROR_PARSE, emilia_solve_batch(&start, 1, questions[i], NULL, NULL, &error));
    }
    EXPECT(EMILIA_ERROR_ARGUMENT, emilia_solve(engine, &start, NULL, NULL, &result, &error));
    EmiliaEffort effort = emilia_effort_default();
    effort.depth = 0;
    EXPECT(EMILIA_ERROR_ARGUMENT, emilia_analyze(engine, "f5", &effort, NULL, 0, NULL, &error));
    effort = emilia_effort_default();
    effort.seconds = -1;
    EXPECT(EMILIA_ERROR_ARGUMENT, emilia_analyze(engine, "f5", &effort, NULL, 0, NULL, &error));
    EXPECT(EMILIA_ERROR_PARSE, emilia_analyze(engine, "a1", NULL, NULL, 0, NULL, &error));
    EXPECT(EMILIA_ERROR_ARGUMENT, emilia_analyze(engine, NULL, NULL, NULL, 0, NULL, &error));
}

static void engines(void) {
    EmiliaError error;
    EmiliaResult result;
    EmiliaPosition start = emilia_position_start();
    static const struct {
        uint32_t threads, hash_mb, level, rating;
    } bad[] = {{0, 1, 0, 0},  {257, 1, 0, 0},          {UINT32_MAX, 1, 0, 0}, {1, 0, 0, 0},          {1, UINT32_MAX, 0, 0},
               {1, 1, 23, 0}, {1, 1, UINT32_MAX, 0}, {1, 1, 0, 3001},       {1, 1, 0, UINT32_MAX}, {1, 1, 3, 1500}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        EmiliaEngine *engine = (EmiliaEngine *)&start;
        EmiliaOptions options = {0, bad[i].threads, bad[i].hash_mb, bad[i].level, bad[i].rating};
        EXPECT(EMILIA_ERROR_ARGUMENT, emilia_engine_new(&options, &engine, &error));
        if (engine != NULL) {
            printf("engine %zu is made\n", i), failures++;
        }
    }
    EXPECT(EMILIA_ERROR_ARGUMENT, emilia_engine_new(NULL, NULL, &error));
    EXPECT(EMILIA_ERROR_ARGUMENT, emilia_search(NULL, &start, NULL, &result, 1, NULL, &error));
    EXPECT(EMILIA_ERROR_ARGUMENT, emilia_engine_forget(NULL, &error));
    EXPECT(EMILIA_ERROR_ARGUMENT, emilia_analyze(NULL, "f5", NULL, NULL, 0, NULL, &error));
    emilia_engine_stop(NULL);
    emilia_engine_free(NULL);
    EmiliaBatch batch = emilia_batch_default();
    EmiliaSolved solved;
    batch.hash_mb = 0;
    EXPECT(EMILIA_ERROR_ARGUMENT, emilia_solve_batch(&start, 1, "exact", &batch, &solved, &error));
    batch.hash_mb = UINT32_MAX;
    EXPECT(EMILIA_ERROR_ARGUMENT, emilia_solve_batch(&start, 1, "exact", &batch, &solved, &error));
    EXPECT(EMILIA_ERROR_ARGUMENT, emilia_solve_batch(NULL, 1, "exact", NULL, &solved, &error));
    EXPECT(EMILIA_ERROR_ARGUMENT, emilia_solve_batch(&start, 1, "exact", NULL, NULL, &error));
    EXPECT(EMILIA_ERROR_ARGUMENT, emilia_solve_batch(&start, 1, NULL, NULL, &solved, &error));
}

int main(void) {
    EmiliaEngine *engine = NULL;
    EmiliaOptions options = emilia_options_default();
    options.hash_mb = 1;
    if (emilia_engine_new(&options, &engine, NULL) != EMILIA_OK) {
        return 2;
    }
    texts();
    positions(engine);
    limits(engine);
    engines();
    emilia_engine_free(engine);
    return failures == 0 ? 0 : 1;
}
