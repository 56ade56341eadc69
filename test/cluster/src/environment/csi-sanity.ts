import { execa } from 'execa';

const sanityMs = 240_000;

/**
 * csi-sanity 5.3.1 waits a minute for a change of state when its connection becomes ready between two checks (utils/grpcutil.go, Connect),
 * and then fails its first case. That is no fault of the driver, so the run is repeated.
 */
const connectRace = 'Connection timed out';
const attemptsMax = 3;

/**
 * The case that lists all known services of a driver by name, and fails for newer ones: up to 5.4.0 it does not know SnapshotMetadata, and
 * has no cases for it. `csi-snapshot-metadata.test.ts` checks what the driver declares.
 */
export const unknownToSanity = /GetPluginCapabilities should return appropriate capabilities/;

/** Its exit code and all output. */
export async function runSanity(sanity: string, args: string[]) {
  for (let attempt = 1; ; attempt++) {
    const result = await execa(sanity, args, { all: true, reject: false, timeout: sanityMs, stdin: 'ignore' });
    if (result.exitCode === 0 || attempt === attemptsMax || !result.all.includes(connectRace)) return result;
  }
}

/** One case of a report, with the names of its containers. */
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
