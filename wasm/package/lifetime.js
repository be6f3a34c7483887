// How objects that hold wasm memory come and go, and what they say when they are used otherwise.

const MADE_BY = {
  Model: "Model.load(url), Model.fromBytes(bytes) or a trainer",
  Dataset: "Dataset.fromTexts(texts, labels) or Dataset.fromRows(…)",
  MachTraining: "trainer.start(data)",
};

export const noConstructor = (name) => {
  throw new TypeError(`a ${name} is not made by new, but by ${MADE_BY[name]}`);
};

/** Stands for the wasm file until it is there. */
export const notLoaded = new Proxy(
  {},
  {
    get() {
      throw new Error("hapax is not loaded: await init() first");
    },
  },
);

/** `structuredClone` and `postMessage` refuse functions, and V8 prints this one. */
const cloning = () => "holds wasm memory: send model.toBytes() and call Model.fromBytes there";

/**
 * Watches where the generated code stores the address of an object, and what is done after `free`.
 */
export const lifetime = (name, { prototype }) => {
  Object.defineProperty(prototype, "__wbg_ptr", {
    set(address) {
      Object.defineProperty(this, "__wbg_ptr", { value: address, writable: true, configurable: true });
      Object.defineProperty(this, "cloning", { value: cloning, enumerable: true });
    },
  });
  const free = prototype.free;
  const freed = new WeakSet();
  prototype.free = function () {
    if (freed.has(this)) return;
    free.call(this);
    freed.add(this);
    const get = () => {
      throw new Error(`this ${name} was freed; make another one`);
    };
    Object.defineProperty(this, "__wbg_ptr", { get });
  };
  if (Symbol.dispose) prototype[Symbol.dispose] = prototype.free;
  prototype.toJSON = () => {
    throw new TypeError(`a ${name} is no JSON: model.toBytes() gives the bytes of a model, model.info() a summary`);
  };
};
