/** One figure of a benchmark run. */
export interface BenchRow {
  name: string;
  value: number;
  unit: string;
  /** The target value, as text: `at most 1.5 s`. */
  target?: string;
  reached?: boolean;
  /** How it was measured, or with what it was compared. */
  note?: string;
}
