// Before the first paint: the theme and the language that were chosen, or those of the system.
(() => {
  const read = (name) => {
    try {
      return localStorage.getItem(name);
    } catch {
      return null;
    }
  };
  const root = document.documentElement;
  const theme = read("studio-theme");
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  const language = read("studio-language") ?? navigator.language ?? "en";
  root.lang = language.startsWith("zh") ? "zh-CN" : "en";
})();
