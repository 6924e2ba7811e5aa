"""The rules of Othello, written again: slow, plain, and sharing nothing with the library."""

DIRECTIONS = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0)]


def start():
    """64 cells: 1 is the side to move, -1 its opponent, 0 empty; a1 first."""
    cells = [0] * 64
    cells[28] = cells[35] = 1
    cells[27] = cells[36] = -1
    return cells


def flips(cells, square):
    """The squares that turn when the side to move plays this one."""
    if cells[square] != 0:
        return []
    turned = []
    for dx, dy in DIRECTIONS:
        line, x, y = [], square % 8 + dx, square // 8 + dy
        while 0 <= x < 8 and 0 <= y < 8 and cells[8 * y + x] == -1:
            line.append(8 * y + x)
            x, y = x + dx, y + dy
        if line and 0 <= x < 8 and 0 <= y < 8 and cells[8 * y + x] == 1:
            turned += line
    return turned


def moves(cells):
    return [square for square in range(64) if flips(cells, square)]


def passed(cells):
    return [-cell for cell in cells]


def must_pass(cells):
    return not moves(cells) and bool(moves(passed(cells)))


def is_over(cells):
    return not moves(cells) and not moves(passed(cells))


def play(cells, square):
    """The board seen by the next side."""
    after = list(cells)
    for turned in [square, *flips(cells, square)]:
        after[turned] = 1
    return passed(after)


def score(cells):
    """The final score for the side to move, the empty squares counted for the winner."""
    own, other = cells.count(1), cells.count(-1)
    if own == other:
        return 0
    return 64 - 2 * other if own > other else 2 * own - 64


def name(square):
    return "abcdefgh"[square % 8] + str(square // 8 + 1)


def bits(cells, disc):
    return sum(1 << square for square, cell in enumerate(cells) if cell == disc)


def best(cells):
    """The final score with best play, by trying everything."""
    if is_over(cells):
        return score(cells)
    if must_pass(cells):
        return -best(passed(cells))
    return max(-best(play(cells, square)) for square in moves(cells))
