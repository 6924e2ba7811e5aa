// What a worker does around the module: messages in, messages out. The same code serves a page that hands over the
// module and the weights, and `worker.mjs`, which loads both for itself.
//
// In: a line of PROTOCOL.md (text); an Int32Array on shared memory, the flag that stops a search; or one of
//   { module }        a compiled WebAssembly.Module, first of all
//   { part }          the next part of the weight file, a Uint8Array
//   { model }         the model of people, a Uint8Array, after the first part: levels need it
//   { book }          the opening book, a Uint8Array
//   { look }          JSON of a position that the book and people are asked about (src/book.rs)
//   { games }         bytes of a text or file of games
//   { analysis }      JSON of what is to be analysed (src/study.rs)
//   { question }      JSON of what is to be proven about some moves (src/solve.rs)
//   { lines }         lines of PROTOCOL.md; an error leaves out those after it
// Out: replies of PROTOCOL.md (text, one message a line); or one of
//   { stages }        stages of the weights that can be used
//   { answer }        JSON that answers { look }, { games }, { analysis } or { question }
//   { failed }        why the worker can do no more
// Replies to a message with an `id` bear it, a line as { line }, and end with { isDone }.
//
// `isUnwanted`, if a host gives it, also ends a search: it is asked often.

export function attach(port, load, isUnwanted = () => false) {
  let stop = new Int32Array(1);
  let engine, id;
  let isRefused = false;
  const reply = (message) => port.postMessage(id === undefined ? message : { id, ...message });
  const print = (line) => {
    isRefused ||= line.startsWith("info string error");
    reply(id === undefined ? line : { line });
  };
  const text = (start, length) => new TextDecoder().decode(new Uint8Array(engine.memory.buffer, start, length));
  const host = {
    print: (start, length) => text(start, length).split("\n").forEach(print),
    answer: (start, length) => reply({ answer: text(start, length) }),
    now: () => performance.now(),
    random: Math.random,
    wants_stop: () => (Atomics.load(stop, 0) || isUnwanted() ? 1 : 0),
  };
  const write = (bytes) => {
    // The call may move the memory.
    const start = engine.buffer(bytes.length);
    new Uint8Array(engine.memory.buffer, start, bytes.length).set(bytes);
  };
  const encode = (words) => new TextEncoder().encode(String(words));

  function start(module) {
    engine = new WebAssembly.Instance(module, { host }).exports;
  }

  function lend(part) {
    write(part);
    const stages = engine.take_weights();
    if (!stages) throw new Error("the weights are damaged");
    return stages;
  }

  function lendModel(model) {
    write(model);
    if (!engine.take_model()) throw new Error("the model of people is damaged");
  }

  function lendBook(book) {
    write(book);
    if (!engine.take_book()) throw new Error("the book is damaged");
  }

  function take(message) {
    if (message instanceof Int32Array) {
      stop = message;
    } else if (message instanceof Object) {
      obey(message);
    } else {
      takeLine(message);
    }
  }

  function takeLine(line) {
    Atomics.store(stop, 0, 0);
    write(encode(line));
    if (!engine.take_line()) port.close();
  }

  function obey({ module, part, model, book, look, lines = [], games, analysis, question }) {
    if (module) start(module);
    if (part) reply({ stages: lend(part) });
    if (model) lendModel(model);
    if (book) lendBook(book);
    if (look) {
      write(encode(look));
      engine.take_look();
    }
    if (games) {
      write(games);
      engine.take_games();
    }
    if (analysis) {
      write(encode(analysis));
      engine.take_analysis();
    }
    if (question) {
      write(encode(question));
      engine.take_question();
    }
    isRefused = false;
    for (const line of lines) {
      if (!isRefused) takeLine(line);
    }
  }

  // Messages that come while a worker loads for itself wait for it.
  const ready = load?.().then(([module, parts, model]) => {
    start(module);
    parts.forEach(lend);
    lendModel(model);
  });
  return async (message) => {
    try {
      if (ready) await ready;
      id = message.id;
      take(message);
      if (id !== undefined) reply({ isDone: true });
    } catch (error) {
      reply({ failed: String(error?.message ?? error) });
    }
  };
}
