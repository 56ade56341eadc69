/** What a client needs to know of a server that has started. */
export interface ServerPlace {
  /** `127.0.0.1:41015`. */
  address: string;
  /** PEM of the certificate that it shows; made for this one start. */
  certificate: string;
}

/**
 * Finds in the lines of `kopia server start` where it listens and which certificate it shows (cli/command_server_tls.go); it prints none if it
 * was given one. `push` returns the place as soon as both are known, and undefined for every other line.
 */
export function serverWords(given?: string): { push(line: string): ServerPlace | undefined } {
  let certificate = given;
  return {
    push: (line) => {
      const [, name, value = ''] = /^SERVER (ADDRESS|CERTIFICATE): (\S+)$/.exec(line) ?? [];
      if (name === 'CERTIFICATE') certificate = Buffer.from(value, 'base64').toString('utf8');
      const address = name === 'ADDRESS' ? /^https:\/\/(127\.0\.0\.1:\d+)$/.exec(value)?.[1] : undefined;
      return address === undefined || certificate === undefined ? undefined : { address, certificate };
    },
  };
}

/** Lines that are of no use in a log: the certificate, and what kopia says to people at each start. */
export const isNoise = (line: string): boolean =>
  /^SERVER CERT|^Server will (allow connections|close when)|^User accounts can be added/.test(line);
