// Libraries whose bundles are used through a few calls: not worth types of our own.
declare module "codemirror";
declare module "xterm";
