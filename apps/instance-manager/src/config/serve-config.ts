import { isIP } from 'node:net';
import { isAbsolute, normalize } from 'node:path';
import { replicaPorts } from '@lateen/instance-host';
import type { LogFormat, LogLevel } from '@lateen/kernel';
import type { flagRules } from '@lateen/process';

export type Environment = Readonly<Record<string, string | undefined>>;
type Rules = ReturnType<typeof flagRules>;

/** The flags of `serve`, which `keep` also accepts and passes on. */
export const serveFlags = {
  node: { type: 'string' },
  name: { type: 'string' },
  namespace: { type: 'string' },
  'host-root': { type: 'string' },
  'runtime-directory': { type: 'string' },
  'device-directory': { type: 'string' },
  'default-data-path': { type: 'string' },
  listen: { type: 'string' },
  'manager-port': { type: 'string' },
  health: { type: 'string' },
  'replica-address': { type: 'string' },
  'replica-ports': { type: 'string' },
  'tls-directory': { type: 'string' },
  'tls-server-name': { type: 'string' },
  'qemu-storage-daemon': { type: 'string' },
  'qemu-img': { type: 'string' },
  nbdfuse: { type: 'string' },
  'nbd-client': { type: 'string' },
} as const;

export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

export interface Programs {
  readonly qemuStorageDaemon: string;
  readonly qemuImg: string;
  readonly nbdfuse: string;
  readonly nbdClient: string;
}

export interface ServeConfig {
  readonly node: string;
  /** Name of the InstanceManager object. */
  readonly name: string;
  readonly namespace: string;
  /** Mount point of the node's root file system. */
  readonly hostRoot: string;
  /** Directory for records, sockets and logs. It is on the node itself, so that a restarted container finds them. */
  readonly runtimeDirectory: string;
  /** Directory of the volumes' devices. */
  readonly deviceDirectory: string;
  /** A path of the node that is created when it does not exist. */
  readonly defaultDataPath: string | undefined;
  readonly listen: HostAndPort;
  /** Port on which the instance managers of other nodes listen. */
  readonly managerPort: number;
  readonly health: HostAndPort;
  /** Address on which replicas listen. */
  readonly replicaAddress: string;
  readonly replicaPorts: { readonly first: number; readonly last: number };
  readonly tlsDirectory: string;
  /** The name in the certificates of all instance managers. */
  readonly serverName: string;
  readonly programs: Programs;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
}

type Values = { readonly [Flag in keyof typeof serveFlags]?: string } & {
  readonly 'log-level'?: string;
  readonly 'log-format'?: string;
};

/** @throws USAGE naming the flag */
export function serveConfig(rules: Rules, values: Values, environment: Environment): ServeConfig {
  const path = (flag: keyof Values, usual: string): string => {
    const text = values[flag] ?? usual;
    if (!isAbsolute(text) || normalize(text) !== text)
      throw rules.usage(`--${flag} "${text}" is not an absolute path without "." and ".."`);
    return text;
  };
  const place = (flag: keyof Values, usual: string): HostAndPort => hostAndPort(rules, flag, values[flag] ?? usual);
  const listen = place('listen', '0.0.0.0:8500');
  const dataPath = values['default-data-path'];
  const address = values['replica-address'] ?? '0.0.0.0';
  if (isIP(address) === 0) throw rules.usage(`--replica-address "${address}" is not an IP address`);
  return {
    node: rules.required('node', values.node ?? environment.NODE_NAME),
    name: rules.required('name', values.name ?? environment.POD_NAME),
    namespace: values.namespace ?? environment.POD_NAMESPACE ?? 'longhorn-system',
    hostRoot: path('host-root', '/'),
    runtimeDirectory: path('runtime-directory', '/var/run/lateen-storage'),
    deviceDirectory: path('device-directory', '/dev/longhorn'),
    defaultDataPath: dataPath === undefined || dataPath === '' ? undefined : dataPath,
    listen,
    managerPort:
      values['manager-port'] === undefined ? listen.port : portOf(rules, 'manager-port', values['manager-port']),
    health: place('health', '0.0.0.0:8501'),
    replicaAddress: address,
    replicaPorts: portRange(rules, values['replica-ports'] ?? `${replicaPorts.first}-${replicaPorts.last}`),
    tlsDirectory: path('tls-directory', '/tls'),
    serverName: values['tls-server-name'] ?? 'volume-manager',
    programs: {
      qemuStorageDaemon: values['qemu-storage-daemon'] ?? 'qemu-storage-daemon',
      qemuImg: values['qemu-img'] ?? 'qemu-img',
      nbdfuse: values.nbdfuse ?? 'nbdfuse',
      nbdClient: values['nbd-client'] ?? 'nbd-client',
    },
    ...rules.logOf(values),
  };
}

function hostAndPort(rules: Rules, flag: string, text: string): HostAndPort {
  const at = text.lastIndexOf(':');
  const host = text.slice(0, at).replace(/^\[(.*)\]$/, '$1');
  if (at < 0 || isIP(host) === 0) throw rules.usage(`--${flag} "${text}" is not an address and a port`);
  return { host, port: portOf(rules, flag, text.slice(at + 1)) };
}

function portOf(rules: Rules, flag: string, text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw rules.usage(`--${flag}: "${text}" is not a port number`);
}

function portRange(rules: Rules, text: string): { first: number; last: number } {
  const [first = '', last = '', more] = text.split('-');
  const range = { first: portOf(rules, 'replica-ports', first), last: portOf(rules, 'replica-ports', last) };
  if (more !== undefined || range.first < 1 || range.first > range.last)
    throw rules.usage(`--replica-ports "${text}" is not a range of ports such as 10000-30000`);
  return range;
}
