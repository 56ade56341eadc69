/** An entry of the volume: its name for people, and its path for the system. */
export interface EntryPlace {
  path: string;
  at: string;
}
