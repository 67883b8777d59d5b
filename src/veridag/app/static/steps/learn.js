// Filled in by what is learned.
export function start(context) {
  void context;
}
