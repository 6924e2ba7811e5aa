"""An analysis of a game with a plot of its score: an .svg file, or with matplotlib any picture.

    python analysis_plot.py f5d6c3d3c4f4f6 --output game.svg
"""

import argparse

import emilia_othello as emilia


def scores_for_black(verdicts):
    """The score before each move and after the last."""
    signs = [1 if verdict.position.side == "X" else -1 for verdict in verdicts]
    before = [sign * verdict.before for sign, verdict in zip(signs, verdicts)]
    return before + [signs[-1] * verdicts[-1].after]


def svg(scores):
    width, height = 12 * len(scores) + 20, 200
    points = " ".join(f"{10 + 12 * at},{height / 2 - score * height / 128:.1f}" for at, score in enumerate(scores))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">'
        f'<path d="M0 {height / 2}H{width}" stroke="gray"/>'
        f'<polyline points="{points}" fill="none" stroke="black" stroke-width="2"/></svg>'
    )


def main():
    parser = argparse.ArgumentParser(description="What went wrong in a game.")
    parser.add_argument("transcript")
    parser.add_argument("--depth", type=int, default=12)
    parser.add_argument("--output", required=True)
    arguments = parser.parse_args()
    with emilia.Engine() as engine:
        verdicts = engine.analyze(arguments.transcript, depth=arguments.depth, exact=18, wld=20)
    for verdict in verdicts:
        gift = f", {verdict.gift}" if verdict.gift else ""
        print(f"{verdict.number:2} {verdict.move} {verdict.before:+6.2f}, lost {verdict.loss:.2f}, best {verdict.best}{gift}")
    scores = scores_for_black(verdicts)
    if arguments.output.endswith(".svg"):
        with open(arguments.output, "w") as file:
            file.write(svg(scores))
        return
    from matplotlib import pyplot

    pyplot.plot(scores)
    pyplot.axhline(0, color="gray")
    pyplot.xlabel("move")
    pyplot.ylabel("score for black, discs")
    pyplot.savefig(arguments.output)


if __name__ == "__main__":
    main()
