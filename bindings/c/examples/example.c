/* Emilia from C: a search, an exact score, a claim, a game of a level against itself, an analysis, errors.
 *
 *   cc example.c $(pkg-config --cflags --libs emilia) -o example && ./example
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include <emilia.h>

static void check(int32_t code, const EmiliaError *error) {
    if (code != EMILIA_OK) {
        fprintf(stderr, "error %d, column %u: %s\n", code, error->column, error->text);
    }
    assert(code == EMILIA_OK);
}

static void print_line(const EmiliaResult *result) {
    for (int i = 0; i < result->line_length; i++) {
        char name[5];
        emilia_move_name(result->line[i], name);
        printf(" %s", name);
    }
    printf("\n");
}

static int32_t count_reports(const EmiliaResult *result, void *user) {
    assert(result->line_length > 0);
    *(int *)user += 1;
    return 0;
}

static int32_t stop_at_once(const EmiliaResult *result, void *user) {
    emilia_engine_stop(user);
    return result->depth > 3;
}

static int32_t progress(size_t done, size_t positions, void *user) {
    assert(done <= positions);
    *(size_t *)user = done;
    return 0;
}

static void errors(const EmiliaEngine *engine) {
    EmiliaError error;
    EmiliaPosition position = emilia_position_start();
    EmiliaResult result;
    assert(emilia_position_parse("---X", &position, &error) == EMILIA_ERROR_PARSE && error.column == 5);
    assert(emilia_position_parse(NULL, &position, &error) == EMILIA_ERROR_ARGUMENT);
    assert(emilia_position_parse("\xff", &position, NULL) == EMILIA_ERROR_PARSE);
    assert(emilia_game_parse("f5d6a1", &position, NULL, 0, NULL, &error) == EMILIA_ERROR_PARSE && error.column == 5);
    assert(emilia_play(&position, 0, &error) == EMILIA_ERROR_ILLEGAL);
    assert(emilia_play(&position, EMILIA_PASS, &error) == EMILIA_ERROR_ILLEGAL);
    assert(emilia_solve(engine, &position, "who", NULL, &result, &error) == EMILIA_ERROR_PARSE);
    assert(emilia_search(engine, &position, NULL, &result, 0, NULL, &error) == EMILIA_ERROR_ARGUMENT);
    assert(emilia_search(NULL, &position, NULL, &result, 1, NULL, &error) == EMILIA_ERROR_ARGUMENT);
    EmiliaPosition two_discs = {1, 1, EMILIA_BLACK};
    assert(emilia_search(engine, &two_discs, NULL, &result, 1, NULL, &error) == EMILIA_ERROR_ILLEGAL);
    assert(emilia_legal_moves(&two_discs) == 0 && emilia_legal_moves(NULL) == 0);
    EmiliaOptions options = emilia_options_default();
    EmiliaEngine *none = NULL;
    options.level = 99;
    assert(emilia_engine_new(&options, &none, &error) == EMILIA_ERROR_ARGUMENT && none == NULL);
    EmiliaLimits limits = emilia_limits_none();
    limits.seconds = -1;
    assert(emilia_choose(engine, &position, &limits, &result, &error) == EMILIA_ERROR_ARGUMENT);
    assert(strlen(error.text) > 0);
    printf("errors are told: %s\n", error.text);
}

static void batch(void) {
    EmiliaPosition positions[3];
    EmiliaSolved solved[3];
    EmiliaError error;
    const char *text = "---XXXXX--XXXOOO-OOXOXOXOOOOXXOXOOOXXXXXXOXXOXXX--OXXX----OOX--- O";
    check(emilia_position_parse(text, &positions[0], &error), &error);
    positions[1] = emilia_position_start();
    positions[2] = (EmiliaPosition){1, 1, EMILIA_BLACK};
    EmiliaBatch how = emilia_batch_default();
    size_t done = 0;
    how.max_nodes = 200000;
    how.hash_mb = 1;
    how.progress = progress;
    how.user = &done;
    check(emilia_solve_batch(positions, 3, "exact", &how, solved, &error), &error);
    assert(done == 3);
    assert(solved[0].status == EMILIA_STATUS_SOLVED && solved[0].lower == 0 && solved[0].upper == 0);
    assert(solved[1].status == EMILIA_STATUS_LIMIT && solved[2].status == EMILIA_STATUS_ILLEGAL);
    check(emilia_solve_batch(NULL, 0, "exact", NULL, NULL, &error), &error);
    printf("batch: %d, %d, %d\n", solved[0].status, solved[1].status, solved[2].status);
}

int main(void) {
    EmiliaError error;
    EmiliaEngine *engine = NULL;
    EmiliaOptions options = emilia_options_default();
    options.hash_mb = 4;
    options.level = 1;
    options.seed = 7;
    check(emilia_engine_new(&options, &engine, &error), &error);
    printf("emilia %s\n", emilia_version());

    EmiliaPosition position;
    check(emilia_game_parse("f5d6c3", &position, NULL, 0, NULL, &error), &error);
    int reports = 0;
    EmiliaLimits limits = emilia_limits_none();
    limits.depth = 6;
    limits.report = count_reports;
    limits.user = &reports;
    EmiliaResult results[3];
    size_t count = 0;
    check(emilia_search(engine, &position, &limits, results, 3, &count, &error), &error);
    assert(count == 3 && reports >= 18 && results[0].score >= results[1].score);
    printf("best: %+.2f", results[0].score);
    print_line(&results[0]);
    limits.depth = 60;
    limits.report = stop_at_once;
    limits.user = engine;
    check(emilia_search(engine, &position, &limits, results, 1, NULL, &error), &error);

    EmiliaPosition late;
    const char *text = "---XXXXX--XXXOOO-OOXOXOXOOOOXXOXOOOXXXXXXOXXOXXX--OXXX----OOX--- O";
    check(emilia_position_parse(text, &late, &error), &error);
    check(emilia_solve(engine, &late, "exact", NULL, results, &error), &error);
    assert(results[0].proven == EMILIA_PROVEN_EXACT && results[0].lower == 0);
    printf("exact: %+d", results[0].lower);
    print_line(&results[0]);
    check(emilia_solve(engine, &late, ">=2", NULL, results, &error), &error);
    assert(results[0].proven == EMILIA_PROVEN_REFUTED && results[0].upper < 2);

    EmiliaPosition game = emilia_position_start();
    int moves = 0;
    while (!emilia_is_over(&game)) {
        check(emilia_choose(engine, &game, NULL, results, &error), &error);
        check(emilia_play(&game, results[0].best, &error), &error);
        moves++;
    }
    char cells[EMILIA_POSITION_TEXT];
    check(emilia_position_print(&game, cells, &error), &error);
    printf("a game of %d moves: %s, %+d\n", moves, cells, emilia_final_score(&game));

    EmiliaVerdict verdicts[8];
    EmiliaEffort effort = emilia_effort_default();
    effort.depth = 3;
    check(emilia_analyze(engine, "f5d6c3d3c4", &effort, verdicts, 8, &count, &error), &error);
    assert(count == 5 && verdicts[4].number == 5 && verdicts[0].loss >= 0);
    check(emilia_hints(engine, &position, 3, results, 2, &count, &error), &error);
    assert(count == 2);
    check(emilia_engine_forget(engine, &error), &error);

    batch();
    errors(engine);
    emilia_engine_free(engine);
    emilia_engine_free(NULL);
    return 0;
}
