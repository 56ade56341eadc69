import type { WantedProcess } from '@lateen/instance-host';
import type { Host } from '@lateen/volume';

/** A process by its id, as its keeper knows it. */
export type FrontendProcess =
  | { readonly state: 'lives'; readonly run: string; readonly argv: readonly string[] }
  /** Never started, or ended; `reason` where it is known. */
  | { readonly state: 'gone'; readonly reason?: string };

/** Who starts and ends processes on this node; they outlive the program that asked. */
export interface FrontendProcesses {
  look(id: string, signal: AbortSignal): Promise<FrontendProcess>;
  /** Resolves when it was started. Of a run that lives already nothing is started; there is no other run of this id. */
  start(process: WantedProcess, signal: AbortSignal): Promise<void>;
  /** Asks it to end, and may be called again until it is gone. Absent is fine. */
  end(id: string, signal: AbortSignal): Promise<void>;
}

export interface FrontendDeps {
  host: Host;
  processes: FrontendProcesses;
  /** For the mounts, one folder per volume. On this node's own file system, and the same for every program that looks. */
  directory: string;
  /**
   * Whose these front ends are: of lower-case letters and digits, other than that of anybody else on this kernel, and the same for every
   * program that looks. A device whose process and mount have gone is recognised by it.
   */
  mark: string;
  /** Absolute paths: the process that starts them may have another PATH. */
  programs: { nbdfuse: string; nbdClient?: string };
}

/** The folder of a volume is part of a path, so its name is checked. */
export const isVolumeName = (name: string): boolean => /^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/.test(name);

export const processId = (volume: string): string => `frontend-${volume}`;
