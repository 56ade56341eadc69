/** How far an operation of an action is. */
export interface OperationProgress {
  /** It has ended, well or not. */
  completed: boolean;
  /** Why it failed; absent while it runs and when it succeeded. */
  error?: string;
  /** In `units`. */
  nCompleted?: number;
  nTotal?: number;
  /** `Bytes`. */
  units?: string;
  /** In words; the phase of a DataUpload. */
  description?: string;
  /** RFC 3339. */
  startedAt?: string;
  updatedAt?: string;
}
