/** A source file of the workspace: path from the root and text. */
export interface SourceFile {
  path: string;
  text: string;
}

const importPattern = /(?:from|import)\s*\(?\s*['"](@lateen\/[^'"]+)['"]/g;

/**
 * Rules that the graph cannot check, because its edges do not name files: production files that import `@lateen/testing`, and imports of
 * files inside a package.
 */
export function checkImports(files: readonly SourceFile[], publicSubpaths: ReadonlySet<string>): string[] {
  return files.flatMap((file) =>
    [...file.text.matchAll(importPattern)].flatMap(([, specifier]) => {
      if (specifier === undefined) return [];
      if (specifier.startsWith('@lateen/testing') && !mayUseTesting(file.path))
        return [`${file.path} imports ${specifier}: only test files may`];
      const isDeep = specifier.split('/').length > 2;
      return isDeep && !publicSubpaths.has(specifier)
        ? [`${file.path} imports ${specifier}, which its package does not export`]
        : [];
    }),
  );
}

function mayUseTesting(path: string): boolean {
  return (
    path.endsWith('.test.ts') ||
    path.startsWith('test/') ||
    path.startsWith('libs/testing/') ||
    // The test kit that is published for plugins; no other file of that package imports it.
    path.startsWith('libs/plugin/src/testing/') ||
    path.startsWith('bench/')
  );
}
