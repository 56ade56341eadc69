/** One figure of a benchmark run. */
export interface BenchRow {
  name: string;
  value: number;
  unit: string;
  /** What the figure should be, in words: `at most 1.5 s`. */
  target?: string;
  reached?: boolean;
  /** How it was measured, or what it was measured against. */
  note?: string;
}
