/** What every entry of a restored tree is given. Plain data: it is sent to worker threads. */
export interface EntryAttributes {
  /** Permissions with set-user-ID, set-group-ID and sticky bit: 0o7777 at most. */
  mode: number;
  uid: number;
  gid: number;
  /** Nanoseconds since 1970. */
  mtimeNs: bigint;
}
