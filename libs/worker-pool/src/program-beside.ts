/**
 * The program that lies beside the module that starts or loads it, by its name: a source of the checkout, or its bundle in the
 * image (tools/image, `workers`). @param here `import.meta.url` of that module
 */
export const programBeside = (name: string, here: string): URL =>
  new URL(`./${name}${here.endsWith('.ts') ? '.ts' : '.mjs'}`, here);
