/** The progress of an action's operation. */
export interface OperationProgress {
  /** The operation has ended, with success or failure. */
  completed: boolean;
  /** Why it failed; absent while it runs and when it succeeded. */
  error?: string;
  /** In `units`. */
  nCompleted?: number;
  nTotal?: number;
  /** `Bytes`. */
  units?: string;
  /** As text; the phase of a DataUpload. */
  description?: string;
  /** RFC 3339. */
  startedAt?: string;
  updatedAt?: string;
}
