import type { Complaints, RestoreTaskResult } from './restore-task.ts';

/** How many complaints are told; a volume on which nothing may be owned by others has one for each entry. */
const complaintsToldMax = 5;

/** What a restore has done so far. */
export class RestoreCounts {
  bytes = 0;
  files = 0;
  comparedBytes = 0;
  unchangedBytes = 0;
  writtenBytes = 0;
  readonly complaints: Complaints = { count: 0, told: [] };

  /** Entries of which the snapshot has no bytes. */
  readonly unread: Complaints = { count: 0, told: [] };

  leaveOut(paths: readonly string[]): void {
    collect(this.unread, paths.length, paths);
  }

  add({ bytes, files, comparedBytes, unchangedBytes, writtenBytes, complaints }: RestoreTaskResult): void {
    this.bytes += bytes;
    this.files += files;
    this.comparedBytes += comparedBytes;
    this.unchangedBytes += unchangedBytes;
    this.writtenBytes += writtenBytes;
    collect(this.complaints, complaints.count, complaints.told);
  }
}

function collect(complaints: Complaints, count: number, told: readonly string[]): void {
  complaints.count += count;
  complaints.told.push(...told.slice(0, Math.max(complaintsToldMax - complaints.told.length, 0)));
}
