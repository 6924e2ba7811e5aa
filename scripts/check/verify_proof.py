#!/usr/bin/env python3
"""Checks proofs of Othello scores, as `emilia verify` does, from verify/FORMAT.md alone.

    scripts/check/verify_proof.py FILE...

Exit status: 0 if every file proves its claims, 1 if one does not, 2 for bad usage. Needs nothing
but Python 3. Slow (some thousand positions a second), so for small proofs, for parts that
`emilia proof cut` made of large ones, and for trust.
"""

import sys
import zlib

MAGIC = b"EMPROOF\x01"
MOST_LEAF_EMPTIES = 16
ALL = (1 << 64) - 1
NOT_A_OR_H = 0x7E7E7E7E7E7E7E7E
LINES = ((1, NOT_A_OR_H), (7, NOT_A_OR_H), (8, ALL), (9, NOT_A_OR_H))

# Where each rank of a set of squares goes in the eight symmetries, for each of its 256 values.
SYMMETRIES = []
for flip_file in (False, True):
    for flip_rank in (False, True):
        for swap in (False, True):
            table = []
            for square in range(64):
                rank, file = divmod(square, 8)
                file = 7 - file if flip_file else file
                rank = 7 - rank if flip_rank else rank
                table.append(8 * file + rank if swap else 8 * rank + file)
            SYMMETRIES.append([
                [sum(1 << table[8 * row + bit] for bit in range(8) if byte >> bit & 1) for byte in range(256)]
                for row in range(8)
            ])


class NoProof(Exception):
    """Why a file is no proof."""


def ones(bits):
    return bin(bits).count("1")


def runs(start, between, distance):
    """The discs of `between` in a row from `start` on, one way along a line and the other way."""
    up = (start << distance) & between
    down = (start >> distance) & between
    for _ in range(5):
        up |= (up << distance) & between
        down |= (down >> distance) & between
    return up, down


def legal_moves(mover, other):
    ends = 0
    for distance, inner in LINES:
        up, down = runs(mover, other & inner, distance)
        ends |= up << distance | down >> distance
    return ends & ~(mover | other) & ALL


def play(mover, other, square):
    """The board after a move, for the other side to move; None if the move is not legal."""
    if (mover | other) & square:
        return None
    flips = 0
    for distance, inner in LINES:
        up, down = runs(square, other & inner, distance)
        if (up << distance) & mover:
            flips |= up
        if (down >> distance) & mover:
            flips |= down
    if not flips:
        return None
    return other ^ flips, mover ^ flips ^ square


def squares(bits):
    while bits:
        square = bits & -bits
        bits ^= square
        yield square


def final_score(mover, other):
    mine, theirs = ones(mover), ones(other)
    free = 64 - mine - theirs
    if mine > theirs:
        return mine - theirs + free
    if mine < theirs:
        return mine - theirs - free
    return 0


def canonical(mover, other):
    """The smallest of the eight symmetric boards."""
    images = []
    rows = mover.to_bytes(8, "little"), other.to_bytes(8, "little")
    for table in SYMMETRIES:
        images.append(tuple(sum(table[row][byte] for row, byte in enumerate(word)) for word in rows))
    return min(images)


def reaches(mover, other, goal):
    """Can the side to move end with a score of at least `goal`? Plain search to the end."""
    moves = legal_moves(mover, other)
    if not moves:
        if not legal_moves(other, mover):
            return final_score(mover, other) >= goal
        return not reaches(other, mover, 2 - goal)
    children = [play(mover, other, square) for square in squares(moves)]
    if len(children) > 1:
        children.sort(key=lambda child: ones(legal_moves(*child)))
    return any(not reaches(*child, 2 - goal) for child in children)


def text(mover, other, mover_letter):
    other_letter = "O" if mover_letter == "X" else "X"
    cells = (mover_letter if mover >> i & 1 else other_letter if other >> i & 1 else "-" for i in range(64))
    return "".join(cells) + " " + mover_letter


class Claim:
    """One claim of a file: the claimant's side ends with at least `goal` discs more."""

    def __init__(self, root, letter, relation, score):
        self.root = root
        self.letter = letter
        self.mover_claims = relation == b">"
        self.goal = score if self.mover_claims else -score
        self.name = f"score {relation.decode()}= {score:+}"

    def place(self, board, claimant_to_move):
        other = "O" if self.letter == "X" else "X"
        return text(*board, self.letter if claimant_to_move == self.mover_claims else other)

    def reach(self, board, claimant_to_move, layer):
        """Puts a position where it belongs: after a pass, or nowhere if the game is over."""
        if legal_moves(*board):
            layer[claimant_to_move].add(canonical(*board))
        elif legal_moves(board[1], board[0]):
            layer[not claimant_to_move].add(canonical(board[1], board[0]))
        else:
            score = final_score(*board)
            if (score if claimant_to_move else -score) < self.goal:
                raise NoProof(f"the game ends at {self.place(board, claimant_to_move)} with {score:+}")

    def check(self, sizes, leaf_empties, next_moves):
        """Walks from the root to the leaves; returns the number of positions and of leaves."""
        layer = {True: set(), False: set()}
        self.reach(self.root, self.mover_claims, layer)
        positions = 0
        empties = 64 - ones(self.root[0] | self.root[1])
        for claimant, opponent in sizes[:-1]:
            self.compare(layer, claimant, opponent, empties)
            positions += claimant + opponent
            below = {True: set(), False: set()}
            boards = sorted(layer[True])
            for board, move in zip(boards, next_moves(len(boards))):
                child = play(*board, 1 << move) if move < 64 else None
                if child is None:
                    raise NoProof(f"at {self.place(board, True)} the move {move} is not legal")
                self.reach(child, False, below)
            for board in layer[False]:
                for square in squares(legal_moves(*board)):
                    self.reach(play(*board, square), True, below)
            layer = below
            empties -= 1
        self.compare(layer, *sizes[-1], empties)
        for board in layer[True]:
            if not reaches(*board, self.goal):
                raise NoProof(f"{self.place(board, True)} is a leaf that does not meet the claim")
        for board in layer[False]:
            if reaches(*board, 2 - self.goal):
                raise NoProof(f"{self.place(board, False)} is a leaf that does not meet the claim")
        return positions, sum(sizes[-1])

    @staticmethod
    def compare(layer, claimant, opponent, empties):
        found = len(layer[True]), len(layer[False])
        if found != (claimant, opponent):
            raise NoProof(f"with {empties} empty squares the moves lead to {found} positions, "
                          f"the file says {(claimant, opponent)}")


class Source:
    """The bytes of a file, taken from the front."""

    def __init__(self, data):
        self.data = data
        self.at = 0

    def take(self, count):
        taken = self.data[self.at:self.at + count]
        if len(taken) < count:
            raise NoProof("the file ends too early")
        self.at += count
        return taken

    def number(self, size):
        return int.from_bytes(self.take(size), "little")


class Moves:
    """The packed moves that follow the header, unpacked as they are asked for."""

    def __init__(self, packed):
        self.packed = packed
        self.stream = zlib.decompressobj()
        self.ready = b""

    def take(self, count):
        try:
            while len(self.ready) < count and not self.stream.eof:
                unpacked = self.stream.decompress(self.packed, max(count - len(self.ready), 1))
                self.packed = self.stream.unconsumed_tail
                if not unpacked and not self.packed and not self.stream.eof:
                    raise NoProof("the file ends too early")
                self.ready += unpacked
        except zlib.error as error:
            raise NoProof(f"the moves cannot be unpacked: {error}") from error
        if len(self.ready) < count:
            raise NoProof("there are fewer moves than positions of the claimant")
        taken, self.ready = self.ready[:count], self.ready[count:]
        return taken

    def rest(self):
        """What follows the packed moves, which must be over."""
        while not self.stream.eof:
            if self.ready:
                break
            try:
                self.ready = self.stream.decompress(self.packed, 1)
            except zlib.error as error:
                raise NoProof(f"the moves cannot be unpacked: {error}") from error
            if not self.ready and not self.stream.unconsumed_tail and not self.stream.eof:
                raise NoProof("the file ends too early")
            self.packed = self.stream.unconsumed_tail
        if self.ready:
            raise NoProof("there are more moves than positions of the claimant")
        return self.stream.unused_data


def verify(data):
    """Checks the bytes of a file; returns a line that says what they prove."""
    source = Source(data)
    if source.take(8) != MAGIC:
        raise NoProof("this is no proof of version 1")
    root = source.number(8), source.number(8)
    if root[0] & root[1]:
        raise NoProof("the root has squares with two discs")
    side, leaf_empties, count = source.take(3)
    if side > 1 or leaf_empties > MOST_LEAF_EMPTIES or not 1 <= count <= 2:
        raise NoProof("the header is wrong")
    letter = "XO"[side]
    empties = 64 - ones(root[0] | root[1])
    layers = max(empties - leaf_empties, 0) + 1
    claims = []
    for _ in range(count):
        relation = source.take(1)
        score = int.from_bytes(source.take(1), "little", signed=True)
        if relation not in (b">", b"<") or score % 2 or not -64 <= score <= 64:
            raise NoProof("a claim is wrong")
        sizes = [(source.number(8), source.number(8)) for _ in range(layers)]
        claims.append((Claim(root, letter, relation, score), sizes))
    checksum = zlib.crc32(data[:source.at])
    moves = Moves(data[source.at:])

    def next_moves(wanted):
        nonlocal checksum
        taken = moves.take(wanted)
        checksum = zlib.crc32(taken, checksum)
        return taken

    positions = leaves = 0
    for claim, sizes in claims:
        more = claim.check(sizes, leaf_empties, next_moves)
        positions, leaves = positions + more[0], leaves + more[1]
    tail = Source(moves.rest())
    if tail.number(4) != checksum:
        raise NoProof("the checksum is wrong: the file is damaged")
    if tail.at != len(tail.data):
        raise NoProof("something follows the checksum")
    names = " and ".join(claim.name for claim, _ in claims)
    return f"proven: {names} at {text(*root, letter)}; {positions} positions, {leaves} leaves"


def main():
    paths = sys.argv[1:]
    if not paths or any(path.startswith("-") for path in paths):
        print(__doc__, file=sys.stderr)
        return 2
    sys.setrecursionlimit(10_000)
    status = 0
    for path in paths:
        try:
            with open(path, "rb") as file:
                print(f"{path}: {verify(file.read())}")
        except NoProof as reason:
            print(f"{path}: not proven: {reason}")
            status = 1
        except OSError as error:
            print(f"{path}: {error}", file=sys.stderr)
            status = 2
    return status


if __name__ == "__main__":
    sys.exit(main())
