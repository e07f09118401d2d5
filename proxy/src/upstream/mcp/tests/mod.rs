mod events;
mod messages;
