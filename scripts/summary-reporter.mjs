/** Ends a run with one plain line that people and machines read: what passed, failed and was skipped. */
export default class SummaryReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      if (module.state() === "failed" && [...module.children.allTests("failed")].length === 0) {
        counts.failed += 1;
      }
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state in counts) counts[state] += 1;
      }
    }
    const { passed, failed, skipped } = counts;
    const tail = skipped > 0 ? `, ${skipped} skipped` : "";
    process.on("exit", () =>
      process.stdout.write(`\nTests: ${passed} passed, ${failed} failed${tail}\n`),
    );
  }
}
