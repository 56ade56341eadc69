import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** The paths of `serve` and the processes it starts, below the runtime directory. Names are short: the path of a socket has at most 107 bytes. */
export interface Places {
  /** Records of processes (`recordFiles`). */
  readonly processes: string;
  /** What is known of each replica, engine, front end and transfer besides its process, one file each. */
  readonly instances: string;
  readonly logs: string;
  /** Mount points of nbdfuse. */
  readonly fronts: string;
  /** The mark of the devices of these front ends. The tool of test clusters reads it too (`tools/cluster`). */
  readonly deviceMark: string;
  /** Mount points of backup targets. Separate from the folders of transfers, which are removed with their content. */
  readonly targets: string;
  /** The socket that makes sure that only one `serve` uses this directory. */
  readonly lock: string;
  replica(name: string): { readonly directory: string; readonly monitorPath: string; readonly pidPath: string };
  engine(name: string): ChildPlace;
  transfer(name: string): ChildPlace;
}

/** Paths of an instance that has a process of its own. */
export interface ChildPlace {
  readonly directory: string;
  readonly configPath: string;
  readonly socketPath: string;
}

export function placesOf(runtimeDirectory: string): Places {
  const at = (...names: string[]) => join(runtimeDirectory, ...names);
  return {
    processes: at('processes'),
    instances: at('instances'),
    logs: at('logs'),
    fronts: at('fronts'),
    deviceMark: at('device-mark'),
    targets: at('targets'),
    lock: at('serve.lock'),
    replica: (name) => {
      const directory = at('r', short(name));
      return { directory, monitorPath: join(directory, 'qmp'), pidPath: join(directory, 'pid') };
    },
    engine: (name) => childPlace(at('e', short(name)), 'engine.json'),
    transfer: (name) => childPlace(at('t', short(name)), 'transfer.json'),
  };
}

const childPlace = (directory: string, config: string): ChildPlace => ({
  directory,
  configPath: join(directory, config),
  socketPath: join(directory, 'api.sock'),
});

/** Shortens names that may be too long for a socket's path. */
const short = (name: string): string => createHash('sha256').update(name).digest('hex').slice(0, 16);
