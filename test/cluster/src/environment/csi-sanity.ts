import { execa } from 'execa';

const sanityMs = 240_000;

/**
 * csi-sanity 5.3.1 waits a minute for a change of state when its connection becomes ready between two looks at it
 * (utils/grpcutil.go, Connect) and then fails its first case. That says nothing about the driver, so it is run again.
 */
const connectRace = 'Connection timed out';
const attemptsMax = 3;

/**
 * The case that knows all services of a driver by name, and fails for one that came after it: up to 5.4.0 it does not know SnapshotMetadata, and has no
 * cases of it. What the driver declares is in `csi-snapshot-metadata.test.ts`.
 */
export const unknownToSanity = /GetPluginCapabilities should return appropriate capabilities/;

/** Its exit code and everything it has written. */
export async function runSanity(sanity: string, args: string[]) {
  for (let attempt = 1; ; attempt++) {
    const result = await execa(sanity, args, { all: true, reject: false, timeout: sanityMs, stdin: 'ignore' });
    if (result.exitCode === 0 || attempt === attemptsMax || !result.all.includes(connectRace)) return result;
  }
}

/** One case of a report, with the names of what it is in. */
export interface Case {
  name: string;
  state: string;
}

interface GinkgoSuite {
  SpecReports: { ContainerHierarchyTexts: string[] | null; LeafNodeText: string; State: string }[] | null;
}

export function readReport(text: string): Case[] {
  return (JSON.parse(text) as GinkgoSuite[]).flatMap(({ SpecReports }) =>
    (SpecReports ?? []).map((spec) => ({
      name: [...(spec.ContainerHierarchyTexts ?? []), spec.LeafNodeText].join(' '),
      state: spec.State,
    })),
  );
}
