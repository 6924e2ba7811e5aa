/* Emilia, an Othello (Reversi) engine. This file is made by cbindgen from bindings/c/src: change it there.
 *
 * Scores are discs for the side to move. Squares are numbers, 0 (a1), 7 (h1) .. 63 (h8); sets of squares are 64-bit
 * integers whose bit n is square n. Functions that can fail return EMILIA_OK or another code, and fill in the error
 * that they are given, which may be NULL. Nothing is printed, no function aborts, and there is no global state.
 */

#ifndef EMILIA_H
#define EMILIA_H

#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>

/**
 * The question is answered.
 */
#define EMILIA_STATUS_SOLVED 0

/**
 * The nodes were used up before.
 */
#define EMILIA_STATUS_LIMIT 1

/**
 * It was stopped before.
 */
#define EMILIA_STATUS_STOPPED 2

/**
 * It is no position.
 */
#define EMILIA_STATUS_ILLEGAL 3

/**
 * Nothing is given away for certain.
 */
#define EMILIA_GIFT_NONE 0

/**
 * A won game is drawn.
 */
#define EMILIA_GIFT_WIN_FOR_DRAW 1

/**
 * A drawn game is lost.
 */
#define EMILIA_GIFT_DRAW 2

/**
 * A won game is lost.
 */
#define EMILIA_GIFT_WIN 3

/**
 * All is well.
 */
#define EMILIA_OK 0

/**
 * A pointer is NULL that may not be, or a value is out of its range.
 */
#define EMILIA_ERROR_ARGUMENT 1

/**
 * A text cannot be read: `column` says where.
 */
#define EMILIA_ERROR_PARSE 2

/**
 * A move is not legal, or a board is none.
 */
#define EMILIA_ERROR_ILLEGAL 3

/**
 * There is too little memory, or no thread can be started.
 */
#define EMILIA_ERROR_RESOURCES 4

/**
 * The engine does something else, for another thread or in a callback.
 */
#define EMILIA_ERROR_BUSY 5

/**
 * The work was stopped before it had an answer.
 */
#define EMILIA_ERROR_STOPPED 6

/**
 * A fault inside the library. The engine can be used again.
 */
#define EMILIA_ERROR_FAULT 7

/**
 * The engine belongs to another process, from which this one was forked.
 */
#define EMILIA_ERROR_FORKED 8

/**
 * Bytes of the text of an error, the final 0 included.
 */
#define EMILIA_ERROR_TEXT 248

/**
 * The side to move is black.
 */
#define EMILIA_BLACK 0

/**
 * The side to move is white.
 */
#define EMILIA_WHITE 1

/**
 * The move that is a pass.
 */
#define EMILIA_PASS 64

/**
 * No move: the game is over.
 */
#define EMILIA_NO_MOVE 255

/**
 * Bytes of a position as text, the final 0 included.
 */
#define EMILIA_POSITION_TEXT 67

/**
 * Nothing is proven: the score is an estimate.
 */
#define EMILIA_PROVEN_NONE 0

/**
 * The claim that was asked is true.
 */
#define EMILIA_PROVEN_CLAIM 1

/**
 * Who wins is proven.
 */
#define EMILIA_PROVEN_WLD 2

/**
 * The score is proven to the disc.
 */
#define EMILIA_PROVEN_EXACT 3

/**
 * The claim that was asked is false.
 */
#define EMILIA_PROVEN_REFUTED 4

/**
 * Most moves of a line.
 */
#define EMILIA_LINE 96

/**
 * A searcher with threads and memory of its own. It does one thing at a time: make one for each thread.
 */
typedef struct EmiliaEngine EmiliaEngine;

/**
 * Called some ten times a second with the positions that are done and all positions; what is not 0 ends the work.
 */
typedef int32_t (*EmiliaProgress)(uintptr_t done, uintptr_t positions, void *user);

/**
 * How a batch is solved.
 */
typedef struct EmiliaBatch {
  /**
   * Positions visited after which one of the batch is given up; 0: none.
   */
  uint64_t max_nodes;
  /**
   * Threads, each with positions of its own; 0: one for each processor.
   */
  uint32_t threads;
  /**
   * Megabytes of memory for each thread.
   */
  uint32_t hash_mb;
  /**
   * Hears how far it is.
   */
  EmiliaProgress progress;
  /**
   * Given to `progress`.
   */
  void *user;
} EmiliaBatch;

/**
 * A board and whose turn it is.
 */
typedef struct EmiliaPosition {
  /**
   * Squares of the side to move. No square is in both sets.
   */
  uint64_t player;
  /**
   * Squares of the other side.
   */
  uint64_t opponent;
  /**
   * `EMILIA_BLACK` or `EMILIA_WHITE`.
   */
  uint8_t side;
} EmiliaPosition;

/**
 * What a batch says of a position. Scores are discs for the side to move.
 */
typedef struct EmiliaSolved {
  /**
   * Positions visited.
   */
  uint64_t nodes;
  /**
   * The score is at least this; -64 says nothing.
   */
  int8_t lower;
  /**
   * The score is at most this; 64 says nothing.
   */
  int8_t upper;
  /**
   * One of `EMILIA_PROVEN_..`.
   */
  uint8_t proven;
  /**
   * A best move, as far as it is known.
   */
  uint8_t best;
  /**
   * One of `EMILIA_STATUS_..`.
   */
  uint8_t status;
} EmiliaSolved;

/**
 * What went wrong.
 */
typedef struct EmiliaError {
  /**
   * `EMILIA_OK`, or one of `EMILIA_ERROR_..`.
   */
  int32_t code;
  /**
   * The byte of a text at which it cannot be read, the first is 1; else 0.
   */
  uint32_t column;
  /**
   * In words, ended by 0.
   */
  char text[EMILIA_ERROR_TEXT];
} EmiliaError;

/**
 * What an engine is made with.
 */
typedef struct EmiliaOptions {
  /**
   * What the choices of a level or rating are drawn from.
   */
  uint64_t seed;
  /**
   * Threads that search one position, 1 to 256. With one, the same calls on new engines give the same results.
   */
  uint32_t threads;
  /**
   * Megabytes of the table of searched positions.
   */
  uint32_t hash_mb;
  /**
   * The strength of `emilia_choose`, 1 (a beginner) to 22; 0: as strong as the limits allow, or by `rating`.
   */
  uint32_t level;
  /**
   * The same by rating, 1 to 3000: people of that strength play so; 0: by `level`. Only one of the two may be chosen.
   */
  uint32_t rating;
} EmiliaOptions;

/**
 * What a search found. Scores are discs for the side to move.
 */
typedef struct EmiliaResult {
  /**
   * The score: exact, a proven bound, or an estimate, as `proven` says.
   */
  double score;
  /**
   * Positions visited.
   */
  uint64_t nodes;
  /**
   * Plies searched; 0 where there was no search.
   */
  uint32_t depth;
  /**
   * The final score with best play is at least this, for certain; -64 says nothing.
   */
  int8_t lower;
  /**
   * The final score is at most this, for certain; 64 says nothing.
   */
  int8_t upper;
  /**
   * One of `EMILIA_PROVEN_..`.
   */
  uint8_t proven;
  /**
   * The best move, a square or `EMILIA_PASS`; `EMILIA_NO_MOVE` where the game is over.
   */
  uint8_t best;
  /**
   * Moves of `line`.
   */
  uint8_t line_length;
  /**
   * The expected line of play, passes included.
   */
  uint8_t line[EMILIA_LINE];
} EmiliaResult;

/**
 * Called with each line of each depth while a search runs; what is not 0 ends the search. The result lives until it returns.
 */
typedef int32_t (*EmiliaReport)(const struct EmiliaResult *result, void *user);

/**
 * What ends or bounds a search; the first limit that is reached ends it. 0 and NULL stand for none.
 */
typedef struct EmiliaLimits {
  /**
   * Positions after which it stops.
   */
  uint64_t nodes;
  /**
   * Time for this move, in seconds.
   */
  double seconds;
  /**
   * A game clock: own time left, in seconds. It excludes `seconds`. The clock has run out where this is 0 and one of the other two is not.
   */
  double clock_own;
  /**
   * The opponent's time left, in seconds.
   */
  double clock_opponent;
  /**
   * What each move adds to the own time, in seconds.
   */
  double clock_increment;
  /**
   * Plies.
   */
  uint32_t depth;
  /**
   * How much is pruned: 73 (most, as 0), 87, 95, 98, 99 or 100 (nothing).
   */
  uint32_t selectivity;
  /**
   * Hears of each line.
   */
  EmiliaReport report;
  /**
   * Given to `report`.
   */
  void *user;
} EmiliaLimits;

/**
 * How hard an analysis looks.
 */
typedef struct EmiliaEffort {
  /**
   * Time for the whole game, in seconds; 0: no limit.
   */
  double seconds;
  /**
   * Plies of the searches before scores are exact.
   */
  uint32_t depth;
  /**
   * Most empty squares of a position that is solved.
   */
  uint32_t exact;
  /**
   * Most empty squares of a position of which is found out who wins.
   */
  uint32_t wld;
} EmiliaEffort;

/**
 * What there is to say about one move of a game. Scores are discs for the side that moved.
 */
typedef struct EmiliaVerdict {
  /**
   * Before the move.
   */
  struct EmiliaPosition position;
  /**
   * The score with best play.
   */
  double before;
  /**
   * The score after the move that was played.
   */
  double after;
  /**
   * What the move lost, at least 0.
   */
  double loss;
  /**
   * The number of the move, passes not counted; the first is 1.
   */
  uint32_t number;
  /**
   * The move that was played.
   */
  uint8_t played;
  /**
   * A best move: the played one, unless another is better.
   */
  uint8_t best;
  /**
   * Are both scores proven?
   */
  bool exact;
  /**
   * What the move gave away for certain: one of `EMILIA_GIFT_..`.
   */
  uint8_t gift;
} EmiliaVerdict;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The version of the library, such as "0.1.0". Never freed.
 */
const char *emilia_version(void);

/**
 * The set of instructions that the library was built for, such as "x86-64-v3". Never freed.
 */
const char *emilia_build(void);

/**
 * All processors, 32 megabytes for each thread, no limit.
 */
struct EmiliaBatch emilia_batch_default(void);

/**
 * Solves `count` positions on all threads, each as `emilia_solve` does, and writes as many answers. `batch` may be NULL. A position with two discs on
 * a square is no error: its status says so.
 *
 * # Safety
 * `count` positions at `positions`; `question` is a text ended by 0; `batch` is NULL or a batch; `count` answers at `solved`, and `error`, may be written.
 */
int32_t emilia_solve_batch(const struct EmiliaPosition *positions,
                           uintptr_t count,
                           const char *question,
                           const struct EmiliaBatch *batch,
                           struct EmiliaSolved *solved,
                           struct EmiliaError *error);

/**
 * One thread, 64 megabytes, no level.
 */
struct EmiliaOptions emilia_options_default(void);

/**
 * No limits: a search is as deep as takes a moment, a solve ends with its answer.
 */
struct EmiliaLimits emilia_limits_none(void);

/**
 * 14 plies; exact from 24 empty squares on, who wins from 26.
 */
struct EmiliaEffort emilia_effort_default(void);

/**
 * Makes an engine, which `emilia_engine_free` frees. `options` may be NULL.
 *
 * # Safety
 * `options` is NULL or options; `engine` and `error` may be written; `error` may be NULL.
 */
int32_t emilia_engine_new(const struct EmiliaOptions *options,
                          struct EmiliaEngine **engine,
                          struct EmiliaError *error);

/**
 * Frees an engine, which must do nothing else: stop it, and wait for the call that it stops. NULL is nothing.
 *
 * # Safety
 * `engine` is NULL or from `emilia_engine_new`, and is not used any more.
 */
void emilia_engine_free(struct EmiliaEngine *engine);

/**
 * Ends what the engine does, soon: a search still has its best result. Any thread may call it, and a callback. Does nothing where it is idle.
 *
 * # Safety
 * `engine` is NULL or an engine.
 */
void emilia_engine_stop(const struct EmiliaEngine *engine);

/**
 * Forgets earlier searches: the next one is as if it were the first.
 *
 * # Safety
 * `engine` is an engine; `error` is NULL or may be written.
 */
int32_t emilia_engine_forget(const struct EmiliaEngine *engine, struct EmiliaError *error);

/**
 * The estimated score of a position without a search, in discs for the side to move; that of a finished game is exact. 0 for what is no position.
 *
 * # Safety
 * `position` is NULL or a position.
 */
double emilia_evaluate(const struct EmiliaPosition *position);

/**
 * The best moves of a position and their scores: as many as `capacity` says, at least 1, or fewer where there are fewer. `count` becomes their number;
 * it may be NULL. Where the game is over, there is one result without a move. `limits` may be NULL.
 *
 * # Safety
 * `engine` is an engine, `position` a position, `limits` NULL or limits; `capacity` results at `results`, `count` and `error` may be written.
 */
int32_t emilia_search(const struct EmiliaEngine *engine,
                      const struct EmiliaPosition *position,
                      const struct EmiliaLimits *limits,
                      struct EmiliaResult *results,
                      uintptr_t capacity,
                      uintptr_t *count,
                      struct EmiliaError *error);

/**
 * The move of a player of the engine's level; without a level, that of `emilia_search`. A level varies its moves: the same seed gives the same game.
 *
 * # Safety
 * As for `emilia_search`; `result` may be written.
 */
int32_t emilia_choose(const struct EmiliaEngine *engine,
                      const struct EmiliaPosition *position,
                      const struct EmiliaLimits *limits,
                      struct EmiliaResult *result,
                      struct EmiliaError *error);

/**
 * As `emilia_search`, as deep as takes a moment and with the end of the game solved, or of `depth` plies where that is not 0.
 *
 * # Safety
 * As for `emilia_search`.
 */
int32_t emilia_hints(const struct EmiliaEngine *engine,
                     const struct EmiliaPosition *position,
                     uint32_t depth,
                     struct EmiliaResult *results,
                     uintptr_t capacity,
                     uintptr_t *count,
                     struct EmiliaError *error);

/**
 * The final score with best play, or what is asked about it: `exact`, `wld` (who wins), or a claim such as `>=2`, `<=-4` or `=0`. Of the limits, `nodes`, `seconds`
 * and `report` count; `proven` says whether the question was answered. A solve does not depend on earlier calls.
 *
 * # Safety
 * As for `emilia_search`; `question` is a text ended by 0.
 */
int32_t emilia_solve(const struct EmiliaEngine *engine,
                     const struct EmiliaPosition *position,
                     const char *question,
                     const struct EmiliaLimits *limits,
                     struct EmiliaResult *result,
                     struct EmiliaError *error);

/**
 * What each move of a game was worth, in playing order, as far as `capacity` goes; passes are left out. `count` becomes the number of moves; it may be
 * NULL. `effort` may be NULL.
 *
 * # Safety
 * `engine` is an engine, `transcript` a text ended by 0, `effort` NULL or an effort; `capacity` verdicts at `verdicts`, `count` and `error` may be written.
 */
int32_t emilia_analyze(const struct EmiliaEngine *engine,
                       const char *transcript,
                       const struct EmiliaEffort *effort,
                       struct EmiliaVerdict *verdicts,
                       uintptr_t capacity,
                       uintptr_t *count,
                       struct EmiliaError *error);

/**
 * The start of every game.
 */
struct EmiliaPosition emilia_position_start(void);

/**
 * Reads 64 cells from a1 to h8 (`X` or `*` is black, `O` is white, `-` or `.` is empty) and the side to move.
 *
 * # Safety
 * `cells` is a text ended by 0; `position` and `error` may be written, `error` may be NULL.
 */
int32_t emilia_position_parse(const char *cells,
                              struct EmiliaPosition *position,
                              struct EmiliaError *error);

/**
 * Writes a position as 64 cells and the side to move, as `emilia_position_parse` reads it.
 *
 * # Safety
 * `position` is a position; `EMILIA_POSITION_TEXT` bytes at `cells`, and `error`, may be written; `error` may be NULL.
 */
int32_t emilia_position_print(const struct EmiliaPosition *position,
                              char *cells,
                              struct EmiliaError *error);

/**
 * Reads a transcript, `f5d6c3`; passes may be left out. `position` becomes the position after it. The moves, passes included, are written to
 * `moves` as far as its `capacity` goes, and `count` becomes their number; `moves` and `count` may be NULL.
 *
 * # Safety
 * `transcript` is a text ended by 0; `capacity` bytes at `moves`, if it is not NULL, and the others may be written.
 */
int32_t emilia_game_parse(const char *transcript,
                          struct EmiliaPosition *position,
                          uint8_t *moves,
                          uintptr_t capacity,
                          uintptr_t *count,
                          struct EmiliaError *error);

/**
 * The squares that the side to move may play; 0 where it must pass, where the game is over, and where a square has two discs.
 *
 * # Safety
 * `position` is NULL or a position.
 */
uint64_t emilia_legal_moves(const struct EmiliaPosition *position);

/**
 * Can neither side move?
 *
 * # Safety
 * `position` is NULL or a position.
 */
bool emilia_is_over(const struct EmiliaPosition *position);

/**
 * The score of a finished game in discs for the side to move, -64 to 64; the empty squares are the winner's. Of other positions it is what
 * they would have if they were finished.
 *
 * # Safety
 * `position` is NULL or a position.
 */
int32_t emilia_final_score(const struct EmiliaPosition *position);

/**
 * Plays a move, a square or `EMILIA_PASS`: `position` becomes the position after it. A pass is legal only where there is no other move and the
 * game is not over. A move that is not legal changes nothing.
 *
 * # Safety
 * `position` is a position and may be written, as may `error`, which may be NULL.
 */
int32_t emilia_play(struct EmiliaPosition *position,
                    uint8_t move_,
                    struct EmiliaError *error);

/**
 * Reads a move, `f5` or `pass`.
 *
 * # Safety
 * `name` is a text ended by 0; `move_` and `error` may be written; `error` may be NULL.
 */
int32_t emilia_move_parse(const char *name, uint8_t *move_, struct EmiliaError *error);

/**
 * Writes the name of a move: `f5`, `pass`, or nothing for what is no move.
 *
 * # Safety
 * 5 bytes at `name` may be written.
 */
void emilia_move_name(uint8_t move_, char *name);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* EMILIA_H */
