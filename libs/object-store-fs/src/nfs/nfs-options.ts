import { isIP } from 'node:net';
import { AppError, quoted } from '@lateen/errors';

/** What a server exports. */
export interface NfsPlace {
  /** A name, an IPv4 address, or an IPv6 address in brackets. */
  readonly server: string;
  /** Of the export, from its root. With or without slashes around it. */
  readonly path: string;
  /** Of the mount, with commas between them, as the URL of the target has them. */
  readonly options: string | undefined;
}

export interface NfsPlan {
  /** What is mounted, as `mount` takes it and /proc/self/mountinfo has it. */
  readonly source: string;
  /** Name or address, without brackets. */
  readonly host: string;
  /** Minor versions of NFSv4 to be tried, newest first. */
  readonly versions: readonly string[];
  /** All others, with commas between them. */
  readonly options: string;
}

/**
 * Longhorn's: an answer that does not come is an error, and not a process that waits for ever (`soft`); what other nodes have written is seen after a
 * second (`actimeo`), which locks depend on. `timeo` is in tenths of a second.
 */
const usual: readonly (readonly [name: string, option: string])[] = [
  ['soft', 'soft'],
  ['timeo', 'timeo=100'],
  ['retrans', 'retrans=2'],
  ['actimeo', 'actimeo=1'],
];
/** In place of a usual option of another name. */
const standsFor: Readonly<Record<string, string>> = { softerr: 'soft', noac: 'actimeo' };
const versionsUsual = ['4.2', '4.1', '4.0'];
const versionNames = ['vers', 'nfsvers', 'minorversion'];
/** Files on a target are never used as programs or devices. */
const always = 'nosuid,nodev,noexec';
/**
 * Refused: what makes `mount` do something else (`bind`), what waits for ever (`hard`), what takes back what is always there, and what only we know (`addr`).
 */
const refused: ReadonlySet<string> = new Set(
  'addr bg bind dev exec hard move rbind remount suid user users owner group loop defaults'.split(' '),
);
const optionPattern = /^[A-Za-z][A-Za-z0-9_]*(=[A-Za-z0-9_.:/+-]*)?$/;
const serverPattern = /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/;

/** What is to be mounted. @throws AppError `BACKUP_TARGET_URL` for a server or an option that cannot be used */
export function nfsPlan({ server, path, options = '' }: NfsPlace): NfsPlan {
  const bare = /^\[(.*)\]$/.exec(server)?.[1];
  const host = bare ?? server;
  if (bare === undefined ? !serverPattern.test(server) : isIP(bare) !== 6)
    throw wrong(`${quoted(server)} is not a name or address of a server`, 'Write it like nfs://server:/path.');
  const given = options.split(',').filter((option) => option !== '');
  const bad = given.find((option) => !optionPattern.test(option) || refused.has(nameOf(option)));
  if (bad !== undefined)
    throw wrong(
      `the option ${quoted(bad)} in nfsOptions cannot be used`,
      'Leave it out; use options of nfs(5), separated by commas. Lateen always mounts with the option soft.',
    );
  const names = new Set(given.map(nameOf).map((name) => standsFor[name] ?? name));
  const added = usual.filter(([name]) => !names.has(name)).map(([, option]) => option);
  const rest = given.filter((option) => !versionNames.includes(nameOf(option)));
  return {
    source: `${server}:/${path.replace(/^\/+/, '')}`,
    host,
    versions: versionsOf(given),
    options: [...added, ...rest, always].join(','),
  };
}

/** The kernel does not negotiate minor versions: the caller tries them. */
function versionsOf(given: readonly string[]): readonly string[] {
  const asked = given.filter((option) => versionNames.includes(nameOf(option)));
  if (asked.length === 0) return versionsUsual;
  const [name = '', value = ''] = asked[0]?.split('=') ?? [];
  const version = name === 'minorversion' ? `4.${value}` : value;
  if (asked.length === 1 && version === '4') return versionsUsual;
  if (asked.length === 1 && versionsUsual.includes(version)) return [version];
  throw wrong(
    `${quoted(asked.join(','))} in nfsOptions is not a version that can be mounted`,
    'Name 4, 4.0, 4.1 or 4.2.',
  );
}

const nameOf = (option: string): string => option.split('=', 1)[0] ?? '';

const wrong = (message: string, nextStep: string): AppError => new AppError('BACKUP_TARGET_URL', message, { nextStep });
