/** A named piece of JSON in the repository: a snapshot, a policy. */
export interface Manifest {
  id: string;
  labels: Readonly<Record<string, string>>;
  /** As kopia writes it. */
  modified: string;
  data: unknown;
}
