import { AppError } from '@lateen/errors';

/** Of hashicorp/go-plugin itself. */
export const coreProtocolVersion = 1;
/** Of Velero's messages. */
export const appProtocolVersion = 2;

/** Tells a program that it was started as a plugin; a program that does not find it says so and exits with 1. */
export const cookie = { name: 'VELERO_PLUGIN', value: 'hello' } as const;

/** What the handshake adds to a program's environment. The ports are for TCP, which is only spoken on Windows; old programs parse them. */
export const handshakeEnvironment = (socketDirectory: string): Readonly<Record<string, string>> => ({
  [cookie.name]: cookie.value,
  PLUGIN_PROTOCOL_VERSIONS: String(appProtocolVersion),
  PLUGIN_MIN_PORT: '10000',
  PLUGIN_MAX_PORT: '25000',
  PLUGIN_UNIX_SOCKET_DIR: socketDirectory,
});

/** A plugin's answer for a service of this name says that it lives (grpc.health.v1). */
export const healthServiceName = 'plugin';

/** The first line on a program's standard output. */
export const handshakeLine = (socketPath: string): string =>
  [coreProtocolVersion, appProtocolVersion, 'unix', socketPath, 'grpc', ''].join('|');

/** The seventh field, whether connections are multiplexed, only comes when it is asked for. */
const certificateLengthMin = 50;
const shownLengthMax = 200;

/**
 * The path of the socket on which a program serves, from its first line.
 * @throws AppError `PLUGIN_HANDSHAKE`, which says what in the line we cannot speak to
 */
export function socketOfHandshake(line: string): string {
  const [core = '', app = '', network = '', address, protocol = 'netrpc', certificate = ''] = line.trim().split('|');
  if (address === undefined) throw noHandshake(line);
  if (Number(core) !== coreProtocolVersion) {
    throw wrong(`it speaks version ${core} of go-plugin, not ${coreProtocolVersion}`, rebuild);
  }
  if (Number(app) !== appProtocolVersion) {
    throw wrong(`it speaks version ${app} of the plugin protocol, not ${appProtocolVersion}`, rebuild);
  }
  if (network !== 'unix') throw wrong(`it listens on ${network} ${address}, not on a unix socket`, rebuild);
  if (protocol !== 'grpc') throw wrong(`it speaks ${protocol}, not grpc`, rebuild);
  if (certificate.length > certificateLengthMin) {
    throw wrong('it asks for TLS, which plugins of Velero do not use', rebuild);
  }
  return address;
}

const rebuild = 'Rebuild it with a current SDK for Velero plugins.';

function noHandshake(line: string): AppError {
  return wrong(
    `its first line of output is not a handshake: ${JSON.stringify(line.slice(0, shownLengthMax))}`,
    'It may not be a plugin program, or it may print to standard output before it serves.',
  );
}

const wrong = (message: string, nextStep: string): AppError => new AppError('PLUGIN_HANDSHAKE', message, { nextStep });
